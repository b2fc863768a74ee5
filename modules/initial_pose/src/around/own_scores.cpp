#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "around/finishing.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/initial_pose/search_options.hpp"
#include "ndt/initial_pose/verdict.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt::initial_pose {
namespace {

constexpr std::size_t kOwnPoints = 8192;  // half as many move the scores by less than 1 %

// The bounds as shares of the map's own scores. They were chosen on twelve recordings and synthetic sets,
// with voxels of 0.5 to 4 m and maps thinned to 1.4 m. Right poses have 0.85 of the NVTL at least, nearly all
// wrong ones less than 0.8. The share of matched points is that of the bounds measured for 1 and 2 m before.
constexpr double kNvtlShare = 0.8, kMatchedShare = 0.85;
/// Less than this share of the map's points with a voxel, and wrong poses score as right ones do.
constexpr double kLeastCovered = 1.0 / 3;

std::size_t one_in(std::size_t points) { return std::max<std::size_t>(1, points / kOwnPoints); }

/// Some of the map's points, and their pose in the map: scans are float32 near their origin.
struct Sample {
  PointCloud points;
  Transform map_from_points;
};

/// Whether a point is one of those that are scored. It does not depend on the order of points, so that a map
/// has the same scores in tiles.
bool is_chosen(const Vec3<double>& p, std::size_t one_in) {
  std::uint64_t bits = 0;
  for (const double x : {p.x, p.y, p.z}) bits = hash_key(bits ^ std::bit_cast<std::uint64_t>(x));
  return bits % one_in == 0;
}

Sample sample_of(const PointCloud& map) {
  std::vector<std::array<double, 3>> chosen;
  for (const Point& offset : map.points) {
    const Vec3<double> p = map.origin + cast<double>(offset);
    if (is_finite(offset) && is_chosen(p, one_in(map.size()))) chosen.push_back({p.x, p.y, p.z});
  }
  Sample sample;
  if (chosen.empty()) return sample;
  const auto median = [&](std::size_t axis) {
    std::ranges::nth_element(chosen, chosen.begin() + static_cast<std::ptrdiff_t>(chosen.size() / 2), {},
                             [&](const auto& p) { return p[axis]; });
    return chosen[chosen.size() / 2][axis];
  };
  const Vec3<double> middle{median(0), median(1), median(2)};
  std::ranges::sort(chosen);
  for (const auto& [x, y, z] : chosen)
    sample.points.points.push_back(cast<float>(Vec3<double>{x, y, z} - middle));
  sample.map_from_points = make_transform(rotation_of(Transform()), middle);
  return sample;
}

Evaluation scored(Aligner& aligner, const Scan& map) {
  PerScan with_points;
  with_points.point_scores = true;
  if (const DeviceCloud* const device = map.on_device()) {
    DeviceCloud some = *device;
    const std::size_t stride = one_in(some.size);
    some.size /= stride, some.stride_bytes *= static_cast<std::ptrdiff_t>(stride), some.origin = {};
    return aligner.evaluate(some, make_transform(rotation_of(Transform()), device->origin), with_points);
  }
  const Sample sample = sample_of(*map.on_host());
  return aligner.evaluate(sample.points, sample.map_from_points, with_points);
}

}  // namespace

OwnScores own_scores(Aligner& aligner, const Scan& map) {
  try {
    const Evaluation scores = scored(aligner, map);
    Evidence evidence;
    gather_points(scores, evidence);
    return {scores.nvtl, evidence.matched.value_or(0), evidence.overlap.value_or(0)};
  } catch (const InputError&) {
    return {};
  }
}

ReliableBounds reliable_bounds(const OwnScores& own, const AlignOptions& options) {
  if (own.covered >= kLeastCovered)
    return {kNvtlShare * own.nvtl, kMatchedShare * own.matched, "", own.covered};
  return {std::nullopt, std::nullopt,
          formatted("this map, {:.0f} % of whose points have a voxel of {:g} m (expected {:.0f} % or more)",
                    100 * own.covered, last_edge_m(options), 100 * kLeastCovered),
          own.covered};
}

}  // namespace ndt::initial_pose
