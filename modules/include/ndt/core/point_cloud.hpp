// Point clouds: a double origin and float offsets from it, so that map coordinates of any size keep their
// precision. They are in the host's memory or in a CUDA device's. No CUDA is needed to compile this.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "ndt/core/small_matrix.hpp"

namespace ndt {

/// One point, x y z [m].
using Point = Vec3<float>;
/// Whether all coordinates are finite.
NDT_HD inline bool is_finite(const Point& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

/// Owner of points. Point i in the cloud's frame is origin + points[i], in metres. Points may be non-finite:
/// their user drops and counts them. Float files leave the origin 0 and the points exactly as stored.
struct PointCloud {
  Vec3<double> origin;        ///< where the points count from [m]; 0 for most clouds
  std::vector<Point> points;  ///< offsets from the origin [m]
  /// When each point was measured, in seconds after the scan's stamp; empty: unknown. For
  /// localization::Localizer; other functions ignore them.
  std::vector<float> times{};

  std::size_t size() const { return points.size(); }  ///< number of points
  bool empty() const { return points.empty(); }       ///< whether there is none
};

/// Points of the caller in the memory of the aligner's device (or managed, or pinned). Point i has its x at
/// points + i * stride_bytes + x_bytes, a float32, and y and z likewise; with `origin` as PointCloud has it.
/// One memory of {x, y, z, intensity} records is {p, n, 16}. Three arrays in a row, x first, are {p, n, 4, 0,
/// 4 n, 8 n}.
struct DeviceCloud {
  const void* points = nullptr;      ///< address on the device, a multiple of 4
  std::size_t size = 0;              ///< number of points
  std::ptrdiff_t stride_bytes = 12;  ///< from one point to the next; a multiple of 4, as are those below
  std::ptrdiff_t x_bytes = 0;        ///< from a point's address to its x [m]
  std::ptrdiff_t y_bytes = 4;        ///< to its y [m]
  std::ptrdiff_t z_bytes = 8;        ///< to its z [m]
  Vec3<double> origin = {};          ///< where the points count from [m]; 0 for most clouds
  /// The cudaStream_t on which the points are written, of the same device: they are read when what it has
  /// been given by now is done. Null: the legacy default stream, which waits for all but non-blocking
  /// streams.
  void* stream = nullptr;
};

/// Throws std::invalid_argument "<where>: ..." for a null address, or numbers that are not multiples of 4,
/// and InputError for more than Limits::kPoints points. An empty cloud may have any.
void require_readable(const DeviceCloud& cloud, const char* where);

}  // namespace ndt
