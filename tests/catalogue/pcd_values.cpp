// Well-formed PCD files whose coordinates are awkward: all are read as they are; what an alignment makes of
// them is said here.
#include <limits>

#include "catalogue.hpp"
#include "pcd_bytes.hpp"

namespace ndt::catalogue {
namespace {

using harness::Header;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();

using Cloud = std::vector<Vec3<double>>;

/// T is how the file stores them.
template <class T>
std::string file_of(const Cloud& points) {
  Header header = Header{}.with_points(std::to_string(points.size()));
  if (sizeof(T) == 8) header.size = "SIZE 8 8 8";
  std::string bytes = header.text();
  for (const Vec3<double>& p : points)
    bytes += harness::bytes_of(static_cast<T>(p.x), static_cast<T>(p.y), static_cast<T>(p.z));
  return bytes;
}

/// Floor and two walls of 8 m, a point every 0.4 m, uneven by a centimetre so that no voxel is exactly flat.
Cloud corner(const Vec3<double>& at = {}) {
  Cloud cloud;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) {
      const double u = 0.4 * i + 0.1, v = 0.4 * j + 0.1, w = 0.01 * ((7 * i + 3 * j) % 5);
      for (const Vec3<double>& p : {Vec3<double>{u, v, w}, Vec3<double>{u, w, v}, Vec3<double>{w, u, v}})
        cloud.push_back(p + at);
    }
  return cloud;
}

Cloud with(Cloud cloud, const Vec3<double>& point, std::size_t every = 0) {
  if (every == 0) cloud.push_back(point);
  for (std::size_t i = 0; every != 0 && i < cloud.size(); i += every) cloud[i] = point;
  return cloud;
}

/// Points f(i) for i in [0, n).
template <class F>
Cloud made_of(int n, F f) {
  Cloud cloud;
  for (int i = 0; i < n; ++i) cloud.push_back(f(i));
  return cloud;
}

template <class T = float>
Entry values(std::string name, const Cloud& cloud, std::uint64_t non_finite, std::string align) {
  return accepted(Format::pcd, "pcd_values_" + name, file_of<T>(cloud),
                  {.points = cloud.size(), .non_finite = non_finite, .align = std::move(align)});
}

const char* const kConverged = "stop             converged";
const char* const kNoOverlap = "stop             no_overlap";
const char* const kAnyStop = "stop             ";
const char* const kDegenerate = "stop             degenerate";
const char* const kNoVoxel = "no valid voxel";

}  // namespace

Entries pcd_values() {
  const Vec3<double> utm = {500'000, 5'400'000, 100};
  return {
      values("corner", corner(), 0, kConverged),
      values<double>("corner_in_double", corner(), 0, kConverged),
      values("one_point", {{1, 2, 3}}, 0, kNoVoxel),
      values("two_points", {{1, 2, 3}, {4, 5, 6}}, 0, kNoVoxel),
      values("all_nan", Cloud(100, {kNaN, kNaN, kNaN}), 100, kNoVoxel),
      values("nan_in_one_coordinate", Cloud(100, {1, kNaN, 3}), 100, kNoVoxel),
      values("a_tenth_nan", with(corner(), {kNaN, kNaN, kNaN}, 10), 120, kConverged),
      values("one_infinity", with(corner(), {0, kInf, 0}), 1, kConverged),
      values("one_minus_infinity", with(corner(), {0, 0, -kInf}), 1, kConverged),
      values("all_equal", Cloud(100, {1, 2, 3}), 0, kDegenerate),
      values("all_zero", Cloud(100, {0, 0, 0}), 0, kDegenerate),
      values("all_denormal", Cloud(100, {1e-45, -1e-45, 1e-40}), 0, kDegenerate),
      // Voxels end where the grid cuts a plane, so their distributions hold it in place: no outcome is
      // promised.
      values("exact_plane",
             made_of(400,
                     [](int i) {
                       return Vec3<double>{0.5 * (i % 20), 0.5 * (i / 20), 1};
                     }),
             0, kAnyStop),
      values("exact_line",
             made_of(400,
                     [](int i) {
                       return Vec3<double>{0.1 * i, 0, 1};
                     }),
             0, kDegenerate),
      values("too_sparse",
             made_of(100,
                     [](int i) {
                       return Vec3<double>{10. * i, 0, 0};
                     }),
             0, kNoVoxel),
      values("greatest_floats", with(corner(), {kMax, -kMax, kMax}), 0, "remove outliers"),
      // The outlier is in the scan too, where it counts as a driver's "no return".
      values("outlier_at_1000_km", with(corner(), {1e6, 0, 0}), 0, kConverged),
      values("utm_in_float", corner(utm), 0, "set_map: precision_lost"),
      // A scan has to be given in its sensor's frame: in double coordinates too, a pose would turn it about a
      // point 5400 km away.
      values<double>("utm_in_double", corner(utm), 0, "align: precision_lost"),
      values<double>("utm_in_double_with_an_outlier", with(corner(utm), {0, 0, 0}), 0, "remove outliers"),
      values<double>("doubles_past_float", with(corner(), {1e300, 0, 0}), 1, kConverged),
  };
}

}  // namespace ndt::catalogue
