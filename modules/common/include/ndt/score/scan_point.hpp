// From an untransformed scan point to its share of the sums: move it, look its neighbours up, add every pair.
#pragma once

#include "ndt/exec/lanes.hpp"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// Rigid motion in float32 for moving points: map-local.
struct Motion {
  Mat3<float> rotation;
  Vec3<float> translation;
  Mat3<float> lever;  ///< rotation of the pose the derivatives are taken at; a point's lever arm is lever x
};

/// x r0 + (y r1 + (z r2 + t)), rounded after every operation: the reference's association, so that a point falls on the same
/// side of a voxel's radius. The targets are built without contraction; device code says so itself.
NDT_HD inline float move_row(float x, float y, float z, float r0, float r1, float r2, float t) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(__fmul_rn(x, r0), __fadd_rn(__fmul_rn(y, r1), __fadd_rn(__fmul_rn(z, r2), t)));
#else
  return x * r0 + (y * r1 + (z * r2 + t));
#endif
}

NDT_HD inline Vec3<float> move_point(const Motion& motion, const Vec3<float>& x) {
  const float(&r)[9] = motion.rotation.m;
  const Vec3<float>& t = motion.translation;
  return {move_row(x.x, x.y, x.z, r[0], r[1], r[2], t.x), move_row(x.x, x.y, x.z, r[3], r[4], r[5], t.y),
          move_row(x.x, x.y, x.z, r[6], r[7], r[8], t.z)};
}

/// (dx² + dy²) + dz² in float32, rounded after every operation like the reference's metric.
NDT_HD inline float squared_length(const Vec3<float>& d) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(__fadd_rn(__fmul_rn(d.x, d.x), __fmul_rn(d.y, d.y)), __fmul_rn(d.z, d.z));
#else
  return (d.x * d.x + d.y * d.y) + d.z * d.z;
#endif
}

/// Calls f(d, voxel) for every voxel whose centroid is strictly nearer than the radius; d = p - centroid.
template <class Lanes, class F>
NDT_HD inline void for_each_neighbour(const VoxelMapView& map, const Vec3<float>& p, const Lanes& lanes, F&& f) {
  const CandidateRange range = map.candidates_near(p);
  for (int k = lanes.rank(); k < range.count; k += lanes.width()) {
    const Candidate& candidate = range.first[k];
    const Vec3<float> d = p - candidate.centroid;
    if (squared_length(d) < map.squared_radius) f(d, map.voxels[candidate.voxel]);
  }
}

/// Adds one scan point to the sums of a pose.
template <class Lanes>
NDT_HD inline void add_scan_point(const VoxelMapView& map, const Gauss<float>& gauss, const Motion& motion,
                                  const Vec3<float>& x, const Lanes& lanes, DerivativeSums<float>& sums) {
  const Vec3<float> p = move_point(motion, x);
  PointSums<float> point;
  for_each_neighbour(map, p, lanes, [&](const Vec3<float>& d, const Voxel& voxel) { add_pair(gauss, d, voxel, point); });
  const float largest = lanes.max(point.largest);
  const int pairs = lanes.max(point.pairs);
  if (point.pairs > 0) add_point(point, motion.lever * x, sums);
  if (lanes.rank() == 0) add_nearest(largest, pairs, sums);
}

}  // namespace ndt
