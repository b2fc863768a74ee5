// A voxel: its coordinates and packed key, its Gaussian as the kernels read it, and the statistics that it is
// made from.
#pragma once

#include <cstdint>

#include "ndt/core/limits.hpp"
#include "ndt/core/small_matrix.hpp"
#include "ndt/core/symmetric_eigen.hpp"

namespace ndt {

/// Voxel coordinates relative to the map origin's voxel.
struct Cell {
  int x = 0, y = 0, z = 0;
};
NDT_HD inline bool operator==(const Cell& a, const Cell& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

inline constexpr int kCellLimit = Limits::kCell;  ///< cells are in [-kCellLimit, kCellLimit)

NDT_HD inline bool in_limits(const Cell& c) {
  return c.x >= -kCellLimit && c.x < kCellLimit && c.y >= -kCellLimit && c.y < kCellLimit &&
         c.z >= -kCellLimit && c.z < kCellLimit;
}

/// Computes floor(v) without a library call, for v that fits a cell.
NDT_HD inline int floor_in_limits(float v) {
  const int cell = static_cast<int>(v);
  return cell - (static_cast<float>(cell) > v ? 1 : 0);
}

/// Computes floor(v) if it fits a cell; false outside the limits and for NaN.
NDT_HD inline bool floor_to_cell(float v, int& cell) {
  if (!(v >= static_cast<float>(-kCellLimit) && v < static_cast<float>(kCellLimit))) return false;
  cell = floor_in_limits(v);
  return true;
}

/// floor(p / resolution) per axis, in float32 with the reciprocal as the reference computes it.
NDT_HD inline bool cell_of(const Vec3<float>& p, float inverse_resolution, Cell& cell) {
  return floor_to_cell(p.x * inverse_resolution, cell.x) && floor_to_cell(p.y * inverse_resolution, cell.y) &&
         floor_to_cell(p.z * inverse_resolution, cell.z);
}

inline constexpr int kAxisBits = 21, kKeyBits = 3 * kAxisBits;
inline constexpr std::uint64_t kAxisMask = (1ULL << kAxisBits) - 1;

/// Packs a cell so that sorting by key sorts by z, then y, then x.
NDT_HD inline std::uint64_t pack(const Cell& c) {
  const auto bits = [](int v) { return static_cast<std::uint64_t>(v + kCellLimit); };
  return bits(c.z) << 2 * kAxisBits | bits(c.y) << kAxisBits | bits(c.x);
}
NDT_HD inline Cell unpack(std::uint64_t key) {
  const auto axis = [](std::uint64_t v) { return static_cast<int>(v & kAxisMask) - kCellLimit; };
  return {axis(key), axis(key >> kAxisBits), axis(key >> 2 * kAxisBits)};
}

NDT_HD inline Vec3<double> centre_of(const Cell& c, double resolution_m) {
  return {(c.x + 0.5) * resolution_m, (c.y + 0.5) * resolution_m, (c.z + 0.5) * resolution_m};
}

/// Gaussian of a voxel. The mean is stored as its offset from the float32 centroid that the radius test uses,
/// so that q = (p - centroid) - mean_offset keeps its precision at any map coordinate.
template <class Real>
struct alignas(alignof(Real) > 16 ? alignof(Real) : 16) VoxelOf {
  Vec3<Real> centroid;     ///< map-local, metres
  Vec3<Real> mean_offset;  ///< mean - centroid, metres
  Sym3<Real> inverse_covariance;
};
using Voxel = VoxelOf<float>;
static_assert(sizeof(Voxel) == 48);

/// Sums over the points of one voxel, taken about `reference` so that nothing cancels.
struct VoxelSums {
  int n = 0;
  Vec3<float> centroid_sum;  ///< float32 in cloud order, as the reference accumulates its centroids
  Vec3<double> sum;          ///< Σ (p - reference)
  Sym3<double> second;       ///< Σ (p - reference)(p - reference)^T
};

/// The surface through a voxel's points, from their own covariance: no start value, no floor. Not for
/// kernels.
struct VoxelSurface {
  Vec3<float> normal;  ///< unit, either sign
  float flatness = 0;  ///< [0, 1]: 1 - smallest / middle eigenvalue; 0 without a normal (a line, a ball)
};
static_assert(sizeof(VoxelSurface) == 16);

struct VoxelStatistics {
  int n = 0;
  Vec3<float> centroid;
  Vec3<double> mean;
  Sym3<double> covariance, inverse_covariance;
  VoxelSurface surface;
};

/// Adds the double part of a point's share. The order of points changes it by rounding only.
NDT_HD inline void add_moments(VoxelSums& sums, const Vec3<float>& p, const Vec3<double>& reference) {
  const Vec3<double> d = cast<double>(p) - reference;
  sums.sum = sums.sum + d;
  Sym3<double>& s = sums.second;
  s = {s.xx + d.x * d.x, s.xy + d.x * d.y, s.xz + d.x * d.z,
       s.yy + d.y * d.y, s.yz + d.y * d.z, s.zz + d.z * d.z};
}

NDT_HD inline void add_point(VoxelSums& sums, const Vec3<float>& p, const Vec3<double>& reference) {
  ++sums.n;
  sums.centroid_sum = sums.centroid_sum + p;
  add_moments(sums, p, reference);
}

/// Sample covariance plus start/(n-1) on the diagonal: start = 1 m^2 is the reference's accumulator that
/// begins at identity.
NDT_HD inline Sym3<double> covariance_of(const VoxelSums& s, double start) {
  const double n = s.n, scale = 1.0 / (n - 1);
  const Vec3<double> m = (1.0 / n) * s.sum;
  return {(start + s.second.xx - s.sum.x * m.x) * scale, (s.second.xy - s.sum.x * m.y) * scale,
          (s.second.xz - s.sum.x * m.z) * scale,         (start + s.second.yy - s.sum.y * m.y) * scale,
          (s.second.yz - s.sum.y * m.z) * scale,         (start + s.second.zz - s.sum.z * m.z) * scale};
}

/// Below this largest variance [m²] a voxel is one point repeated and cannot be a Gaussian.
inline constexpr double kSmallestVariance = 1e-10;

NDT_HD inline SymmetricEigen<3> eigen_of(const Sym3<double>& c) {
  const double a[3][3] = {{c.xx, c.xy, c.xz}, {c.xy, c.yy, c.yz}, {c.xz, c.yz, c.zz}};
  return symmetric_eigen(a);
}

/// Below this share of the largest variance the middle one is only rounding: the points form a line.
inline constexpr double kLineVarianceRatio = 1e-9;

/// Finds a voxel's surface. start_variance: the part of the diagonal beyond the points' own covariance; it
/// moves eigenvalues, not eigenvectors.
NDT_HD inline VoxelSurface surface_of(const SymmetricEigen<3>& eigen, double start_variance) {
  const auto own = [&](int k) { return std::fmax(eigen.values[k] - start_variance, 0.0); };
  const double(&n)[3] = eigen.vectors[0];
  if (!(own(1) > kLineVarianceRatio * own(2))) return {};
  return {cast<float>(Vec3<double>{n[0], n[1], n[2]}), static_cast<float>(1 - own(0) / own(1))};
}

/// The matrix with these eigenvalues and the eigenvectors of another.
NDT_HD inline Sym3<double> with_values(const SymmetricEigen<3>& eigen, double l0, double l1, double l2) {
  const double(&v)[3][3] = eigen.vectors;
  const auto entry = [&](int i, int j) {
    return l0 * v[0][i] * v[0][j] + l1 * v[1][i] * v[1][j] + l2 * v[2][i] * v[2][j];
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

/// Raises small eigenvalues to ratio x the largest, as the reference does: the middle one only if the
/// smallest was low. `eigen` is the covariance's. Writes the covariance with that floor and its inverse.
/// Returns false if the largest is too small to mean anything.  [Magnusson 2009, 6.2.4]
NDT_HD inline bool floor_and_invert(double ratio, SymmetricEigen<3> eigen, Sym3<double>& covariance,
                                    Sym3<double>& inverse) {
  if (!(eigen.values[2] > kSmallestVariance)) return false;
  const double lowest = ratio * eigen.values[2];
  if (eigen.values[0] < lowest) {
    eigen.values[0] = lowest;
    if (eigen.values[1] < lowest) eigen.values[1] = lowest;
  }
  if (!(eigen.values[0] > 0)) return false;
  const double(&l)[3] = eigen.values;
  covariance = with_values(eigen, l[0], l[1], l[2]);
  inverse = with_values(eigen, 1 / l[0], 1 / l[1], 1 / l[2]);
  return true;
}

/// Computes the statistics of a voxel with enough points. Returns false if its covariance has no positive
/// direction, because then it defines no Gaussian.
NDT_HD inline bool finish(const VoxelSums& sums, const Vec3<double>& reference, double start,
                          double eigenvalue_ratio, VoxelStatistics& out) {
  const float n = static_cast<float>(sums.n);
  out.n = sums.n;
  out.centroid = {sums.centroid_sum.x / n, sums.centroid_sum.y / n, sums.centroid_sum.z / n};
  out.mean = reference + (1.0 / sums.n) * sums.sum;
  out.covariance = covariance_of(sums, start);
  const SymmetricEigen<3> eigen = eigen_of(out.covariance);
  out.surface = surface_of(eigen, start / (sums.n - 1));
  return floor_and_invert(eigenvalue_ratio, eigen, out.covariance, out.inverse_covariance);
}

NDT_HD inline Voxel to_voxel(const VoxelStatistics& s) {
  return {s.centroid, cast<float>(s.mean - cast<double>(s.centroid)), cast<float>(s.inverse_covariance)};
}

}  // namespace ndt
