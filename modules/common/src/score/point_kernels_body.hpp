// The kernels of score/point_kernels.hpp, compiled once for each instruction set of point_kernels_list.hpp,
// with internal linkage as in float8.hpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "float8.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/score/point_kernels.hpp"

namespace ndt {
namespace {

#if defined(__AVX2__)
/// For every mask of eight lanes the lanes that it has, a byte each, lowest first; the rest is lane 0.
struct LaneLists {
  std::uint64_t of[256] = {};
  constexpr LaneLists() {
    for (unsigned mask = 0; mask < 256; ++mask)
      for (unsigned lane = 0, shift = 0; lane < kWidth; ++lane)
        if ((mask >> lane & 1) != 0) of[mask] |= static_cast<std::uint64_t>(lane) << shift, shift += 8;
  }
};
constexpr LaneLists kLaneLists;

/// Writes the voxels of the entries in the mask to `out`, which needs room for eight. voxels: their column.
/// Without a branch, because their number is what a CPU predicts worst.
inline void keep(const NearVoxel*, const Float8& voxels, unsigned mask, std::uint32_t* out) {
  const __m256i order =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kLaneLists.of[mask])));
  _mm256_storeu_ps(reinterpret_cast<float*>(out), _mm256_permutevar8x32_ps(load<__m256>(&voxels), order));
}
#else
/// As with AVX2, but with a branch for each lane in the mask: without a shuffle that is the faster.
inline void keep(const NearVoxel* eight, const Float8&, unsigned mask, std::uint32_t* out) {
  for (; mask != 0; mask &= mask - 1) *out++ = eight[__builtin_ctz(mask)].voxel;
}
#endif

/// The points of a call in passes: their cells, the voxels near enough of each, and then the pairs, eight
/// points side by side. A pass has no load that waits for a sum, so a CPU has those of many points under way
/// at once.
class PointBlock {
 public:
  PointBlock(const VoxelMapView& map, const Motion& motion, const Point* points, int count)
      : map_(map), motion_{broadcast9(motion.rotation), broadcast3(motion.translation), {}}, count_(count) {
    for (int i = 0; i < count; ++i) rows_[i] = {points[i]};
    for (int i = count; i < (count + kWidth - 1) / kWidth * kWidth; ++i) rows_[i] = {};
    move();
    find_hits();
    sort();
  }

  /// Calls f(first, x, sums) for every eight points with pairs: the number of those before, the eight, and
  /// what they collect.
  template <class F>
  void for_each_eight(const Gauss<float>& gauss, F&& f) const {
    const Gauss<Float8> gauss8{broadcast<Float8>(gauss.d1), broadcast<Float8>(gauss.d2),
                               broadcast<Float8>(gauss.curvature)};
    for (int first = 0; first < with_hits_; first += kWidth) {
      int begin[kWidth], pairs[kWidth], steps = 0;
      for (int lane = 0; lane < kWidth; ++lane) {
        const int i = order_[first + lane];
        begin[lane] = begin_[i];
        pairs[lane] = first + lane < with_hits_ ? hits_of(i) : 0;
        steps = pairs[lane] > steps ? pairs[lane] : steps;
      }
      const Vec3<Float8> x = columns([&](int lane) { return rows_ + order_[first + lane]; });
      const Vec3<Float8> p = move_point(motion_, x);
      const Int8 pairs8 = load<Int8>(pairs);
      PointSums<Float8> sums;
      for (int step = 0; step < steps; ++step) {
        // Beyond a lane's own voxels come the next point's: in memory already, and not active.
        const auto row = [&](int lane, int part) {
          return reinterpret_cast<const std::byte*>(map_.voxels + hits_[begin[lane] + step]) + 16 * part;
        };
        VoxelOf<Float8> voxel;
        Sym3<Float8>& c = voxel.inverse_covariance;
        load_columns([&](int lane) { return row(lane, 0); }, voxel.centroid.x, voxel.centroid.y,
                     voxel.centroid.z, voxel.mean_offset.x);
        load_columns([&](int lane) { return row(lane, 1); }, voxel.mean_offset.y, voxel.mean_offset.z, c.xx,
                     c.xy);
        load_columns([&](int lane) { return row(lane, 2); }, c.xz, c.yy, c.yz, c.zz);
        add_pair(gauss8, p - voxel.centroid, voxel, same(step) < pairs8, sums);
      }
      f(first, x, sums);
    }
  }

  int pairs() const { return begin_[count_]; }
  int with_hits() const { return with_hits_; }
  /// Index of the k-th point that has pairs.
  int point(int k) const { return order_[k]; }

 private:
  int hits_of(int i) const { return begin_[i + 1] - begin_[i]; }

  /// Also finds the cells.
  void move() {
    const CellWindow& w = map_.window;
    for (int i = 0; i < count_; i += kWidth) {
      const Vec3<Float8> p = move_point(motion_, columns([&](int lane) { return rows_ + i + lane; }));
      store(p.x, mx_ + i), store(p.y, my_ + i), store(p.z, mz_ + i);
      Int8 in_limits = same(-1);
      const auto axis = [&](const Float8& coordinate, int low) {  // as cell_of(), relative to the window
        const Float8 v = coordinate * broadcast<Float8>(map_.inverse_resolution);
        const Int8 in = (broadcast<Float8>(static_cast<float>(-kCellLimit)) <= v) &
                        (v < broadcast<Float8>(static_cast<float>(kCellLimit)));
        in_limits = in_limits & in;
        const Float8 safe = select(in, v, Float8{});
        const Int8 cell = truncated(safe);
        return cell + (to_float(cell) > safe) - same(low);
      };
      const Int8 x = axis(p.x, w.low.x), y = axis(p.y, w.low.y), z = axis(p.z, w.low.z);
      const Int8 nx = same(static_cast<int>(w.nx)), ny = same(static_cast<int>(w.ny)),
                 nz = same(static_cast<int>(w.nz)), below = same(-1);
      const Int8 inside =
          in_limits & (below < x) & (below < y) & (below < z) & (x < nx) & (y < ny) & (z < nz);
      store(((z & inside) * ny + (y & inside)) * nx + (x & inside), cell_ + i);
      store(inside, inside_ + i);
      store(in_limits, in_limits_ + i);
    }
  }

  NearVoxels range_of(int i) const {
    if (inside_[i] != 0) {
      const std::uint32_t* start = map_.window.starts + static_cast<unsigned>(cell_[i]);
      return {map_.lists + start[0], static_cast<int>(start[1] - start[0])};
    }
    if (in_limits_[i] != 0 && map_.outside != nullptr)
      return near_voxels_outside(map_, {mx_[i], my_[i], mz_[i]});
    return {};
  }

  void find_hits() {
    const Float8 radius = broadcast<Float8>(map_.squared_radius);
    int n = 0;
    for (int i = 0; i < count_; ++i) {
      begin_[i] = n;
      const NearVoxels range = range_of(i);
      const Vec3<Float8> p = broadcast3({mx_[i], my_[i], mz_[i]});
      for (int k = 0; k < range.count; k += kWidth) {
        const NearVoxel* eight = range.first + k;
        Vec3<Float8> centroid;
        Float8 voxels;  // their indices
        load_columns([&](int lane) { return eight + lane; }, centroid.x, centroid.y, centroid.z, voxels);
        unsigned near = bits_of(squared_length(p - centroid) < radius);
        const int left = range.count - k;
        if (left < kWidth) near &= (1U << left) - 1;
        keep(eight, voxels, near, hits_ + n);
        n += __builtin_popcount(near);
      }
    }
    begin_[count_] = n;
    for (int i = 0; i < count_; ++i) most_ = hits_of(i) > most_ ? hits_of(i) : most_;
    for (int k = 0; k < most_; ++k) hits_[n + k] = 0;  // read for lanes that are done
  }

  /// Sorts by falling number of pairs: lanes of a vector then have about as many pairs, and fewer lanes wait.
  void sort() {
    unsigned char place[kMaxNearVoxels + 1] = {};
    for (int i = 0; i < count_; ++i) ++place[hits_of(i)];
    int at = 0;
    with_hits_ = count_ - place[0];
    for (int n = most_; n >= 0; --n) {
      const int many = place[n];
      place[n] = static_cast<unsigned char>(at), at += many;
    }
    for (int i = 0; i < count_; ++i) order_[place[hits_of(i)]++] = static_cast<unsigned char>(i);
    for (int i = count_; i < kPointsTogether; ++i) order_[i] = 0;
  }

  const VoxelMapView& map_;
  const MotionOf<Float8> motion_;  // without the lever
  const int count_;
  int with_hits_ = 0, most_ = 0;
  struct alignas(16) Row {
    Point point;
  };
  Row rows_[kPointsTogether];
  float mx_[kPointsTogether], my_[kPointsTogether], mz_[kPointsTogether];
  int cell_[kPointsTogether], inside_[kPointsTogether], in_limits_[kPointsTogether];
  int begin_[kPointsTogether + 1];
  unsigned char order_[kPointsTogether];
  std::uint32_t hits_[(kPointsTogether + 1) * kMaxNearVoxels];
};

void add_points(const VoxelMapView& map, const Gauss<float>& gauss, const Motion& motion, const Point* points,
                int count, DerivativeSums<FloatLanes>& out) {
  const PointBlock block(map, motion, points, count);
  DerivativeSums<Float8> sums;
  constexpr std::size_t kBytes = kDerivativeSums * sizeof(FloatLanes);  // the real members, which come first
  std::memcpy(static_cast<void*>(&sums), &out, kBytes);
  const Mat3<Float8> lever = broadcast9(motion.lever);
  block.for_each_eight(gauss, [&](int, const Vec3<Float8>& x, const PointSums<Float8>& point) {
    add_point(point, lever * x, sums);
    sums.nearest += point.largest;
  });
  std::memcpy(static_cast<void*>(&out), &sums, kBytes);
  out.pairs += block.pairs();
  out.points += block.with_hits();
}

void largest_scores(const VoxelMapView& map, const Gauss<float>& gauss, const Motion& motion,
                    const Point* points, int count, float* out) {
  const PointBlock block(map, motion, points, count);
  for (int i = 0; i < count; ++i) out[i] = 0;
  block.for_each_eight(gauss, [&](int first, const Vec3<Float8>&, const PointSums<Float8>& point) {
    float largest[kWidth];
    store(point.largest, largest);
    for (int lane = 0; lane < kWidth && first + lane < block.with_hits(); ++lane)
      out[block.point(first + lane)] = largest[lane];
  });
}

}  // namespace
}  // namespace ndt
