// The first map and the first alignment of an aligner on a device, made before the caller's. A driver loads a
// kernel with its first launch, and an aligner takes its memory with the first scan.
#include <algorithm>
#include <chrono>
#include <exception>

#include "ndt/edge/device_aligner.cuh"

namespace ndt {
namespace {

constexpr int kSide = 80;            // points along an edge of a plane: too many to be sorted by one block
constexpr float kPointsOfACell = 4;  // along an edge of a cell, so that it is a voxel
constexpr std::size_t kScan = 8192;  // points, as many as a filtered scan has at most

double finest(const AlignOptions& options) {
  double edge = 1;
  for (const double level : options.levels) edge = std::min(edge, level);
  return edge * options.resolution_m;
}

/// Three planes at right angles, none of them quite even.
PointCloud corner(double edge_m) {
  const float apart = static_cast<float>(edge_m) / kPointsOfACell;
  PointCloud cloud;
  for (int i = 0; i < kSide; ++i)
    for (int k = 0; k < kSide; ++k) {
      const float a = apart * static_cast<float>(i), b = apart * static_cast<float>(k),
                  rough = 0.1F * apart * static_cast<float>((7 * i + 3 * k) % 5);
      cloud.points.insert(cloud.points.end(), {{a, b, rough}, {a, rough, b}, {rough, a, b}});
    }
  return cloud;
}

PointCloud part_of(const PointCloud& map) {
  PointCloud scan;
  for (std::size_t k = 0; k < kScan; ++k) scan.points.push_back(map.points[k * map.points.size() / kScan]);
  return scan;
}

}  // namespace

void DeviceAligner::rehearse() {
  constexpr std::chrono::milliseconds kMost{50};  // options may ask for endless alignments
  const double edge_m = finest(options());
  try {
    const PointCloud map = corner(edge_m);
    set_map(map);
    PerScan limits;
    limits.deadline = std::chrono::steady_clock::now() + kMost;
    align(part_of(map), to_transform({0.1 * edge_m, 0.1 * edge_m, 0}), limits);
  } catch (const std::exception&) {
    // Ignored: options may suit no such map, and a device that fails reports it in the call that follows.
  }
  forget_levels();
  maps_.reset();
}

}  // namespace ndt
