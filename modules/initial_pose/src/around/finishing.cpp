#include "around/finishing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ndt::initial_pose {
namespace {

/// Twice the bounds within which a pose counts as found.
constexpr double kModeM = 1.0, kModeRad = 5.0 * kPi / 180;

constexpr int kBeside = 6;

using Number = double AlignResult::*;

/// Indices of those that meet the map, the largest number first.
std::vector<std::size_t> ranked(std::span<const Particle> particles, Number number) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < particles.size(); ++k)
    if (meets_the_map(particles[k].result) && !std::isnan(particles[k].result.*number)) order.push_back(k);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return particles[a].result.*number > particles[b].result.*number;
  });
  return order;
}

}  // namespace

bool is_another_mode(const Transform& a, const Transform& b) {
  return translation_error_m(a, b) > kModeM || rotation_error_rad(a, b) > kModeRad;
}

bool meets_the_map(const AlignResult& result) {
  return result.stop != Stop::no_overlap && result.stop != Stop::non_finite;
}

double comparable_nvtl(const AlignResult& result) { return std::isnan(result.nvtl) ? -1 : result.nvtl; }

bool is_at_rest(const Particle& particle) { return particle.result.stop != Stop::max_iterations; }

bool is_better(const Particle& a, const Particle& b) {
  if (is_at_rest(a) != is_at_rest(b)) return is_at_rest(a);
  return comparable_nvtl(a.result) > comparable_nvtl(b.result);
}

std::vector<std::size_t> leaders(std::span<const Particle> particles, int count) {
  const std::vector<std::size_t> orders[] = {ranked(particles, &AlignResult::nvtl),
                                             ranked(particles, &AlignResult::transform_probability)};
  std::size_t next[2] = {};
  std::vector<std::size_t> found;
  const auto is_new = [&](std::size_t k) {
    return std::ranges::all_of(found, [&](std::size_t leader) {
      return is_another_mode(particles[leader].result.map_from_scan, particles[k].result.map_from_scan);
    });
  };
  for (int turn = 0; std::ssize(found) < count; turn = 1 - turn) {
    const std::vector<std::size_t>& order = orders[turn];
    while (next[turn] < order.size() && !is_new(order[next[turn]])) ++next[turn];
    if (next[turn] == order.size()) break;  // what one order has left, the other has, too
    found.push_back(order[next[turn]]);
  }
  return found;
}

std::vector<Pose> poses_around(const Transform& answer, double distance_m) {
  std::vector<Pose> poses;
  for (int k = 0; k < kBeside; ++k) {
    const double angle = 2 * kPi * k / kBeside;
    poses.push_back(
        principal(derivative_pose(answer * to_transform(Pose{distance_m * std::cos(angle),
                                                             distance_m * std::sin(angle), 0, 0, 0, 0}))));
  }
  return poses;
}

void add_spread(const Transform& answer, const AlignResult& ended, Evidence& evidence) {
  constexpr double kNoPose = std::numeric_limits<double>::infinity();
  const bool there = meets_the_map(ended);
  const auto widen = [&](std::optional<double>& spread, double by) {
    spread = std::max(spread.value_or(0), there ? by : kNoPose);
  };
  widen(evidence.spread_m, translation_error_m(answer, ended.map_from_scan));
  widen(evidence.spread_rad, rotation_error_rad(answer, ended.map_from_scan));
  if (there && !is_another_mode(answer, ended.map_from_scan))
    evidence.spread_in_mode_m =
        std::max(evidence.spread_in_mode_m, translation_error_m(answer, ended.map_from_scan));
}

double goodness(const AlignResult& result, const AlignResult& best) {
  if (!(best.nvtl > 0)) return 0;
  const double by_nvtl = std::isnan(result.nvtl) ? -1 : result.nvtl / best.nvtl;
  if (!(best.transform_probability > 0) || std::isnan(result.transform_probability)) return by_nvtl;
  return std::min(by_nvtl, result.transform_probability / best.transform_probability);
}

void gather_points(const Evaluation& scored, Evidence& evidence) {
  if (scored.point_scores.empty()) return;
  const auto points = static_cast<double>(scored.point_scores.size());
  evidence.overlap = static_cast<double>(scored.points_with_voxels) / points;
  evidence.matched = matched_share(scored.point_scores);
}

double matched_share(std::vector<float> point_scores) {
  if (point_scores.empty()) return 0;
  const auto good = point_scores.begin() + static_cast<std::ptrdiff_t>(point_scores.size() * 9 / 10);
  std::ranges::nth_element(point_scores, good);
  const float least = *good / 2;
  const auto matched =
      std::ranges::count_if(point_scores, [&](float score) { return score > 0 && score >= least; });
  return static_cast<double>(matched) / static_cast<double>(point_scores.size());
}

}  // namespace ndt::initial_pose
