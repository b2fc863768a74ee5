#include "microbench/microbench_scenes.hpp"

#include <algorithm>
#include <cmath>

#include "data/courtyard.hpp"

namespace ndt::harness {
namespace {

constexpr int kPointsPerCourtyard = 100000;
constexpr int kCourtyardM = 64;
constexpr std::uint64_t kScanSeed = 2, kFirstMapSeed = 1000;

}  // namespace

PointCloud microbench_map(int points) {
  const int courtyards = (points + kPointsPerCourtyard - 1) / kPointsPerCourtyard;
  const int columns = static_cast<int>(std::ceil(std::sqrt(courtyards)));
  PointCloud map;
  map.points.reserve(static_cast<std::size_t>(points));
  for (int k = 0; k < courtyards; ++k) {
    const PointCloud courtyard =
        make_courtyard({.seed = kFirstMapSeed + static_cast<std::uint64_t>(k),
                        .points = std::min(kPointsPerCourtyard, points - k * kPointsPerCourtyard),
                        .offset_m = {kCourtyardM * (k % columns), kCourtyardM * (k / columns), 0}});
    map.points.insert(map.points.end(), courtyard.points.begin(), courtyard.points.end());
  }
  return map;
}

PointCloud microbench_scan(int points) { return make_courtyard({.seed = kScanSeed, .points = points}); }

Transform microbench_guess() { return to_transform(Pose{0.3, -0.2, 0.05, 0.01, -0.01, 0.03}); }

std::vector<Transform> microbench_poses() {
  std::vector<Transform> poses;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) poses.push_back(to_transform(Pose{0.1 * (i - 3.5), 0.1 * (j - 3.5), 0, 0, 0, 0}));
  return poses;
}

}  // namespace ndt::harness
