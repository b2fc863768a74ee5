// From untransformed scan points to their share of the sums: moves them, finds their near voxels, and adds
// every pair.
#pragma once

#include "ndt/core/simd.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// Rigid motion of points, map-local.
template <class Real>
struct MotionOf {
  Mat3<Real> rotation;
  Vec3<Real> translation;
  Mat3<Real> lever;  ///< rotation of the pose the derivatives are taken at; a point's lever arm is lever x
};
using Motion = MotionOf<float>;

/// x r0 + (y r1 + (z r2 + t)), rounded after every operation. The association is the reference's, so that a
/// point falls on the same side of a voxel's radius. Host code is built without contraction; device code uses
/// intrinsics that are not contracted.
template <class Real>
NDT_HD inline Real move_row(Real x, Real y, Real z, Real r0, Real r1, Real r2, Real t) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(__fmul_rn(x, r0), __fadd_rn(__fmul_rn(y, r1), __fadd_rn(__fmul_rn(z, r2), t)));
#else
  return x * r0 + (y * r1 + (z * r2 + t));
#endif
}

template <class Real>
NDT_HD inline Vec3<Real> move_point(const MotionOf<Real>& motion, const Vec3<Real>& x) {
  const Real(&r)[9] = motion.rotation.m;
  const Vec3<Real>& t = motion.translation;
  return {move_row(x.x, x.y, x.z, r[0], r[1], r[2], t.x), move_row(x.x, x.y, x.z, r[3], r[4], r[5], t.y),
          move_row(x.x, x.y, x.z, r[6], r[7], r[8], t.z)};
}

/// (dx² + dy²) + dz² in float32, rounded after every operation like the reference's metric.
template <class Real>
NDT_HD inline Real squared_length(const Vec3<Real>& d) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(__fadd_rn(__fmul_rn(d.x, d.x), __fmul_rn(d.y, d.y)), __fmul_rn(d.z, d.z));
#else
  return (d.x * d.x + d.y * d.y) + d.z * d.z;
#endif
}

NDT_HD inline int lowest_bit(unsigned bits) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

/// Adds every voxel whose centroid is strictly nearer than the radius to p; the lanes share the near voxels.
/// Returns this lane's number of pairs. All centroids are tested before any voxel is read, because a device
/// then waits for memory twice in all and not twice for each near voxel.
template <class Lanes>
NDT_HD inline int add_neighbours(const VoxelMapView& map, const Gauss<float>& gauss, const Vec3<float>& p,
                                 const Lanes& lanes, PointSums<float>& point) {
  constexpr int kTested = 32, kTogether = 4;  // bits of a word; loads under way at once
  const NearVoxels range = map.near_voxels(p);
  int pairs = 0;
  for (int first = lanes.rank(); first < range.count; first += kTested * lanes.width()) {
    unsigned near = 0;
    NDT_ROLLED
    for (int tested = 0; tested < kTested && first + tested * lanes.width() < range.count;
         tested += kTogether) {
      NDT_UNROLL
      for (int bit = tested; bit < tested + kTogether; ++bit) {
        const int k = first + bit * lanes.width();
        const bool inside = k < range.count;
        const float squared = squared_length(p - load_aligned(range.first + (inside ? k : 0)).centroid);
        near |= (inside && squared < map.squared_radius ? 1U : 0U) << bit;
      }
    }
    for (; near != 0; near &= near - 1, ++pairs) {
      const int k = first + lowest_bit(near) * lanes.width();
      const Voxel voxel = load_aligned(map.voxels + load_aligned(range.first + k).voxel);
      add_pair(gauss, p - voxel.centroid, voxel, true, point);
    }
  }
  return pairs;
}

/// Largest pair score of one scan point, 0 if no voxel is near. NVTL averages it.
NDT_HD inline float nearest_voxel_score(const VoxelMapView& map, const Gauss<float>& gauss,
                                        const Motion& motion, const Vec3<float>& x) {
  PointSums<float> point;
  add_neighbours(map, gauss, move_point(motion, x), SingleLane{}, point);
  return point.largest;
}

/// Adds one scan point (points[0]), or none if count is 0. The lanes share its near voxels.
template <class Lanes>
NDT_HD inline void add_scan_points(const VoxelMapView& map, const Gauss<float>& gauss, const Motion& motion,
                                   const Vec3<float>* points, int count, const Lanes& lanes,
                                   DerivativeSums<float>& sums) {
  PointSums<float> point;
  Vec3<float> x;  // a copy, because a kernel would read it twice
  int pairs = 0;
  if (count > 0) {
    x = points[0];
    pairs = add_neighbours(map, gauss, move_point(motion, x), lanes, point);
  }
  if (pairs > 0) {
    add_point(point, motion.lever * x, sums);
    sums.pairs += pairs;
  }
  const float largest = lanes.max(point.largest);
  const bool any = lanes.max(pairs) > 0;
  if (lanes.rank() == 0) {
    sums.nearest += largest;
    sums.points += any ? 1 : 0;
  }
}

}  // namespace ndt
