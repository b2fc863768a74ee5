// The overlapping windows of Finish::windows: the Gaussian of the 3 x 3 x 3 fine cells around each. A surface
// that passes a cell is then near the middle of the cell's window, and not cut by its faces.
#pragma once

#include <functional>

#include "ndt/align/align_options.hpp"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/voxel.hpp"

namespace ndt {

/// Sums over a cell's points, about its centre or another place.
struct Moments {
  double n = 0;
  Vec3<double> sum;
  Sym3<double> second;
};

/// Adds sums that were taken about a place `offset` from that of the total.
NDT_HD inline void add_moved(const Moments& part, const Vec3<double>& offset, Moments& total) {
  const Vec3<double>&s = part.sum, &t = offset;
  const double n = part.n;
  Sym3<double>& to = total.second;
  const Sym3<double>& from = part.second;
  to.xx += from.xx + 2 * s.x * t.x + n * t.x * t.x;
  to.xy += from.xy + s.x * t.y + t.x * s.y + n * t.x * t.y;
  to.xz += from.xz + s.x * t.z + t.x * s.z + n * t.x * t.z;
  to.yy += from.yy + 2 * s.y * t.y + n * t.y * t.y;
  to.yz += from.yz + s.y * t.z + t.y * s.z + n * t.y * t.z;
  to.zz += from.zz + 2 * s.z * t.z + n * t.z * t.z;
  total.sum = total.sum + s + n * t;
  total.n += n;
}

/// The Gaussian of a window, scaled so that its middle variance is 1/2. Its inverse then tells how flat the
/// points lie, and not how far they reach. sums: about `centre`. False if they define none.
NDT_HD inline bool make_window(const Moments& sums, const Vec3<double>& centre, double eigenvalue_ratio,
                               VoxelStatistics& out) {
  constexpr double kLeastMiddle = 0.01;  // of the largest: beyond it, the points form a line
  const double scale = 1 / (sums.n - 1);
  const Vec3<double> mean = (1 / sums.n) * sums.sum;
  const auto entry = [&](double second, double sum, double m) { return (second - sum * m) * scale; };
  const Sym3<double>& s = sums.second;
  const Vec3<double>& sum = sums.sum;
  SymmetricEigen<3> eigen =
      eigen_of({entry(s.xx, sum.x, mean.x), entry(s.xy, sum.x, mean.y), entry(s.xz, sum.x, mean.z),
                entry(s.yy, sum.y, mean.y), entry(s.yz, sum.y, mean.z), entry(s.zz, sum.z, mean.z)});
  double(&values)[3] = eigen.values;
  if (!(values[2] > kSmallestVariance)) return false;
  const double scaled = 0.5 / std::fmax(values[1], kLeastMiddle * values[2]);
  const double lowest = eigenvalue_ratio * values[2] * scaled;
  for (double& value : values) value = std::fmax(value * scaled, lowest);
  if (!(values[0] > 0)) return false;
  out.n = static_cast<int>(sums.n);
  out.mean = centre + mean;
  out.centroid = cast<float>(out.mean);
  out.covariance = with_values(eigen, values[0], values[1], values[2]);
  out.inverse_covariance = with_values(eigen, 1 / values[0], 1 / values[1], 1 / values[2]);
  return true;
}

/// Calls f(cell, window) for every cell of edge finish_cell_m() that has enough points around it, by
/// increasing key. Where the 3 x 3 x 3 cells have too few points, cells of twice the edge count, then of four
/// times. points: relative to the origin. Returns the number of cells with points. Throws InputError for a
/// point outside the limits of cells.
std::int64_t for_each_window(const MapPoints& points, const MapOrigin& origin, const AlignOptions& options,
                             const std::function<void(const Cell&, const VoxelStatistics&)>& f);

}  // namespace ndt
