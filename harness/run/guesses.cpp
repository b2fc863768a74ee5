#include "run/guesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "ndt/initial_pose/grid.hpp"

namespace ndt::harness {

std::vector<Transform> batch_guesses(const Transform& first, int count) {
  constexpr double kGoldenAngle = 2.399963229728653;
  constexpr double kFull = 1000;  // guesses that fill the disc; later ones are at its rim
  std::vector<Transform> guesses;
  for (int k = 0; k < count; ++k) {
    const double radius = kBatchReachM * std::sqrt(std::min(1.0, k / kFull)), angle = k * kGoldenAngle;
    guesses.push_back(first *
                      to_transform(Pose{radius * std::cos(angle), radius * std::sin(angle), 0, 0, 0, 0}));
  }
  return guesses;
}

const Transform* search_middle(const Dataset& dataset, const Frame& frame) {
  if (frame.truth) return &*frame.truth;
  return dataset.kind == "no_pose" && !frame.guesses.empty() ? &frame.guesses.front().map_from_scan : nullptr;
}

NamedGuess prior_guess(const Transform& truth, std::size_t frame_index, const SearchSpec& search,
                       std::size_t k) {
  const bool anywhere = resolve(search.arguments).options.method == initial_pose::Method::anywhere;
  // Method anywhere keeps the tilt of the guess while it turns the scan about the vertical.
  Transform mean = anywhere ? upright_prior_mean(truth, search.sigma, frame_index, k)
                            : prior_mean(truth, search.sigma, frame_index, k);
  if (search.prior == PriorKind::map) mean = make_transform(rotation_of(mean), {});
  return {fmt::format("seed{}", k), mean, std::nullopt};
}

SearchRecord planned_search(const SearchSpec& search, std::string_view implementation) {
  const ResolvedSearch setting = resolve(search.arguments, implementation);
  const initial_pose::SearchOptions& options = setting.options;
  SearchRecord record;
  record.name = search.name;
  record.strategy = setting.strategy.name;
  record.method = setting.is_own() ? setting.strategy.name : to_string(options.method);
  record.particles = options.particles;
  if (!setting.is_own() && options.method == initial_pose::Method::grid)  // a lattice may fall short of them
    record.particles = static_cast<int>(initial_pose::grid_places({}, options.particles).size());
  record.startup = options.startup;
  record.at_once = options.at_once;
  record.candidates = options.candidates;
  record.prior = search.prior;
  std::ranges::copy(search.sigma, record.sigma);
  return record;
}

}  // namespace ndt::harness
