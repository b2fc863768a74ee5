// Scan points side by side on a CPU worker. Host only. The maths of pairs and points is the same templates
// that the one-lane form uses; its code is compiled for several instruction sets, of which the best that this
// CPU has is taken. All give the same bits: eight lanes everywhere, every operation rounded.
#pragma once

#include <span>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/score/scan_point.hpp"

namespace ndt {

/// Most points of a call.
inline constexpr int kPointsTogether = SimdLanes::kPoints;

/// The kernels compiled for one instruction set.
struct PointKernels {
  const char* instructions;  ///< such as x86-64-v3
  bool (*usable)();          ///< whether this CPU has them
  /// Adds points[0 .. count).
  void (*add)(const VoxelMapView& map, const Gauss<float>& gauss, const Motion& motion, const Point* points,
              int count, DerivativeSums<FloatLanes>& sums);
  /// Writes the largest pair score of each of points[0 .. count), 0 if no voxel is near.
  void (*largest_scores)(const VoxelMapView& map, const Gauss<float>& gauss, const Motion& motion,
                         const Point* points, int count, float* out);
};

/// The kernels of this build that this CPU can run, best last; there is at least one.
std::span<const PointKernels* const> usable_point_kernels();

/// The kernels in use: the best, unless a test asked for others.
const PointKernels& point_kernels();

/// Takes others from now on, in every thread; for tests. Results do not depend on it.
void use_point_kernels(const PointKernels& kernels);

/// VoxelMapView::near_voxels() of a point outside the window, for kernels: the hash is probed by code that
/// every CPU can run.
NearVoxels near_voxels_outside(const VoxelMapView& map, const Vec3<float>& p);

/// Adds points[0 .. count), count in [1, kPointsTogether].
inline void add_scan_points(const VoxelMapView& map, const Gauss<float>& gauss, const Motion& motion,
                            const Point* points, int count, const SimdLanes&,
                            DerivativeSums<FloatLanes>& sums) {
  point_kernels().add(map, gauss, motion, points, count, sums);
}

}  // namespace ndt
