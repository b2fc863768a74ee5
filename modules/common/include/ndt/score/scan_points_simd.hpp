// Four scan points side by side on a CPU worker: each lane walks the near voxels of its own point. Host only.
// The maths of pairs and points is the same templates that the one-lane form uses.
#pragma once

#include "ndt/core/simd.hpp"
#include "ndt/score/scan_point.hpp"

namespace ndt {
namespace simd {

inline Float4 load(const void* sixteen_bytes) {
  Float4 v;
  std::memcpy(&v, sixteen_bytes, sizeof v);
  return v;
}

/// Transposes: rows become columns.
inline void transpose(Float4& a, Float4& b, Float4& c, Float4& d) {
  const Float4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Float4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

inline Vec3<Float4> broadcast3(const Vec3<float>& v) {
  return {broadcast<Float4>(v.x), broadcast<Float4>(v.y), broadcast<Float4>(v.z)};
}
inline Mat3<Float4> broadcast9(const Mat3<float>& a) {
  Mat3<Float4> b;
  for (int i = 0; i < 9; ++i) b.m[i] = broadcast<Float4>(a.m[i]);
  return b;
}

/// One voxel per lane, read as three 16-byte rows each.
inline VoxelOf<Float4> gather(const Voxel* voxels, const std::uint32_t (&ids)[4]) {
  const auto row = [&](int lane, int part) {
    return load(reinterpret_cast<const std::byte*>(voxels + ids[lane]) + 16 * part);
  };
  Float4 a0 = row(0, 0), a1 = row(1, 0), a2 = row(2, 0), a3 = row(3, 0);
  Float4 b0 = row(0, 1), b1 = row(1, 1), b2 = row(2, 1), b3 = row(3, 1);
  Float4 c0 = row(0, 2), c1 = row(1, 2), c2 = row(2, 2), c3 = row(3, 2);
  transpose(a0, a1, a2, a3);
  transpose(b0, b1, b2, b3);
  transpose(c0, c1, c2, c3);
  return {{a0, a1, a2}, {a3, b0, b1}, {b2, b3, c0, c1, c2, c3}};
}

/// Writes to `hits` the voxels whose centroid is strictly nearer than the radius, in list order, and returns
/// their number. `hits` needs room for three more entries as scratch. The list is read in fours, because
/// VoxelMapView promises readable padding at its end.
inline int find_hits(const VoxelMapView& map, const Vec3<float>& p, std::uint32_t* hits) {
  const NearVoxels range = map.near_voxels(p);
  const Vec3<Float4> p4 = broadcast3(p);
  int n = 0;
  for (int k = 0; k < range.count; k += 4) {
    const NearVoxel* four = range.first + k;
    Float4 x = load(four), y = load(four + 1), z = load(four + 2), ids = load(four + 3);
    transpose(x, y, z, ids);
    const Vec3<Float4> d = p4 - Vec3<Float4>{x, y, z};
    const Int4 in_list = Int4{0, 1, 2, 3} < (range.count - k);
    const Int4 hit = (squared_length(d) < broadcast<Float4>(map.squared_radius)) & in_list;
    for (int i = 0; i < 4; ++i) {
      hits[n] = four[i].voxel;
      n -= hit[i];  // a true lane is -1
    }
  }
  return n;
}

inline Gauss<Float4> broadcast(const Gauss<float>& gauss) {
  return {ndt::broadcast<Float4>(gauss.d1), ndt::broadcast<Float4>(gauss.d2),
          ndt::broadcast<Float4>(gauss.curvature)};
}
inline MotionOf<Float4> broadcast(const Motion& motion) {
  return {broadcast9(motion.rotation), broadcast3(motion.translation), broadcast9(motion.lever)};
}
inline Vec3<Float4> load_points(const Vec3<float>* points, int count) {
  Vec3<Float4> x;
  for (int lane = 0; lane < count; ++lane)
    x.x[lane] = points[lane].x, x.y[lane] = points[lane].y, x.z[lane] = points[lane].z;
  return x;
}

/// Adds the pairs of moved points p, one in each of the first `count` lanes. Returns each lane's number.
inline Int4 add_pairs(const VoxelMapView& map, const Gauss<Float4>& gauss, const Vec3<Float4>& p, int count,
                      PointSums<Float4>& point) {
  std::uint32_t hits[4][kMaxNearVoxels + 3];
  Int4 pairs{};
  int steps = 0;
  for (int lane = 0; lane < count; ++lane) {
    const int n = find_hits(map, {p.x[lane], p.y[lane], p.z[lane]}, hits[lane]);
    pairs[lane] = n;
    steps = n > steps ? n : steps;
  }
  for (int step = 0; step < steps; ++step) {
    std::uint32_t ids[4];
    for (int lane = 0; lane < 4; ++lane) ids[lane] = step < pairs[lane] ? hits[lane][step] : 0;
    const VoxelOf<Float4> voxel = gather(map.voxels, ids);
    add_pair(gauss, p - voxel.centroid, voxel, step < pairs, point);
  }
  return pairs;
}

}  // namespace simd

/// Adds points[0 .. count), count in [1, 4].
inline void add_scan_points(const VoxelMapView& map, const Gauss<float>& gauss, const Motion& motion,
                            const Vec3<float>* points, int count, const SimdLanes&,
                            DerivativeSums<Float4>& sums) {
  const MotionOf<Float4> motion4 = simd::broadcast(motion);
  const Vec3<Float4> x = simd::load_points(points, count);
  PointSums<Float4> point;
  const Int4 pairs = simd::add_pairs(map, simd::broadcast(gauss), move_point(motion4, x), count, point);
  int any = 0;
  for (int lane = 0; lane < count; ++lane) {
    any += pairs[lane];
    sums.pairs += pairs[lane];
    sums.points += pairs[lane] > 0 ? 1 : 0;
  }
  if (any == 0) return;
  add_point(point, motion4.lever * x, sums);
  sums.nearest += point.largest;
}

}  // namespace ndt
