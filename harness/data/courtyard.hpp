// The built-in courtyard: walled, made of planes, poles, a car and a slope, drawn by an integer generator so
// that every machine makes the same bytes. Coordinates are multiples of 1/1024 m near the origin.
#pragma once

#include <cstdint>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

struct CourtyardOptions {
  std::uint64_t seed = 1;
  int points = 30000;
  std::int64_t offset_m[3] = {0, 0, 0};  ///< whole metres, added before rounding to float32
};

/// Float32 cloud in global coordinates (origin 0). The same options give the same bytes everywhere.
PointCloud make_courtyard(const CourtyardOptions& options);

/// The pair that golden values exist for: a map of 30,000 points (seed 1) and a scan of 3,000 (seed 2).
inline PointCloud courtyard_map() { return make_courtyard({.seed = 1, .points = 30000}); }
inline PointCloud courtyard_scan(int points = 3000) { return make_courtyard({.seed = 2, .points = points}); }
/// The courtyard map 95 km away: what a map in a metric grid zone looks like.
inline PointCloud courtyard_map_far() {
  return make_courtyard({.seed = 1, .points = 30000, .offset_m = {81377, 49916, 40}});
}

}  // namespace ndt::harness
