#include "ndt/initial_pose/search_options.hpp"

#include <algorithm>

#include "ndt/core/formatted.hpp"

namespace ndt::initial_pose {
namespace {

/// Whether the score of a point means what it means with the defaults.
bool has_standard_scores(const AlignOptions& o) {
  const AlignOptions standard;
  return o.neighbours == standard.neighbours && o.outlier_ratio == standard.outlier_ratio &&
         o.min_points == standard.min_points && o.eigenvalue_ratio == standard.eigenvalue_ratio;
}

}  // namespace

double last_edge_m(const AlignOptions& options) { return *(options.levels.end() - 1) * options.resolution_m; }

std::optional<double> known_reliable_nvtl(const AlignOptions& options) {
  if (last_edge_m(options) != 2 || !has_standard_scores(options)) return std::nullopt;
  return options.covariance_start == CovarianceStart::identity ? 2.3 : 2.4;
}

std::optional<double> known_reliable_matched(const AlignOptions& options) {
  if (!has_standard_scores(options)) return std::nullopt;
  if (options.covariance_start == CovarianceStart::identity)  // chosen on the even scenes of preset trust
    return last_edge_m(options) == 2 ? std::optional(0.84) : std::nullopt;
  // Finer voxels leave more of the scan's noise outside the good scores.
  if (last_edge_m(options) == 2) return 0.82;
  if (last_edge_m(options) == 1) return 0.68;
  return std::nullopt;
}

std::string unknown_scale(const AlignOptions& options) {
  if (last_edge_m(options) != 2) return formatted("voxels of {:g} m", last_edge_m(options));
  return "these neighbours, outlier-ratio, min-points or eigenvalue-ratio";
}

void validate(const SearchOptions& options) { require_within(kSearchOptions, options); }

std::span<const Strategy> strategies() {
  static constexpr Strategy kAll[] = {
      {"sequential", false, false, "one particle after the other, on any implementation: the baseline"},
      {"batched", true, false, "the start-up in one batch, guided particles one by one"},
      {"batched_persistent", true, true, "the start-up in one batch, guided particles in rounds"}};
  return kAll;
}

const Strategy& default_strategy() { return *strategy_named("batched_persistent"); }

const Strategy* strategy_named(std::string_view name) {
  const std::span<const Strategy> all = strategies();
  const auto found = std::ranges::find(all, name, &Strategy::name);
  return found == all.end() ? nullptr : &*found;
}

bool is_able(const Implementation& entry, const Strategy& strategy) {
  return entry.batches || !(strategy.startup_at_once || strategy.guided_at_once);
}

bool suits(const Implementation& entry, const Strategy& strategy) { return entry.search == strategy.name; }

const Implementation* first_suited(std::span<const Implementation> table, const Strategy& strategy) {
  for (const Implementation& entry : table)
    if (suits(entry, strategy) && entry.unavailable_reason().empty()) return &entry;
  return nullptr;
}

}  // namespace ndt::initial_pose
