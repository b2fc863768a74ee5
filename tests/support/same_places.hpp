// Random maps to search for places in, and the comparison of what two searches found.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ndt/cuda/device.hpp"
#include "ndt/initial_pose/device_places.hpp"
#include "ndt/initial_pose/place_search.hpp"

namespace ndt::initial_pose {

/// Ground with walls about it, posts all over, and a scan of a part of it.
struct PlaceCase {
  PointCloud map, scan;

  explicit PlaceCase(std::mt19937& random, float side_m = 30) {
    std::uniform_real_distribution<float> unit(0, 1);
    for (float x = 0; x < side_m; x += 0.4F)
      for (float y = 0; y < 0.7F * side_m; y += 0.4F) map.points.push_back({x, y, 0.1F * unit(random)});
    for (int wall = 0; wall < 12; ++wall) {
      const float x = side_m * unit(random), y = 0.7F * side_m * unit(random), length = 3 + 6 * unit(random);
      const bool along_x = unit(random) < 0.5F;
      for (float at = 0; at < length; at += 0.3F)
        for (float z = 0.2F; z < 3; z += 0.3F)
          map.points.push_back({along_x ? x + at : x, along_x ? y : y + at, z});
    }
    const float c = std::cos(0.7F), s = std::sin(0.7F), x0 = side_m / 2, y0 = side_m / 3;
    for (const Point& p : map.points) {
      const float x = p.x - x0, y = p.y - y0;
      if (std::hypot(x, y) < 11) scan.points.push_back({c * x + s * y, c * y - s * x, p.z - 1.5F});
    }
  }

  /// The whole map, boxes with and without heights from the map, few headings and one.
  std::vector<PlaceRegion> regions(const PlacePyramid& pyramid) const {
    PlaceRegion few = whole_map(pyramid), one = few;
    few.heading_rad = 0.5, one.heading_rad = 0;
    return {whole_map(pyramid), {{3, 2, 1}, {17, 15, 2.5}}, {{-5, -3, 0}, {12, 9, 0.5}, true, kPi}, few, one};
  }
};

inline void expect_same(const PlacesFound& a, const PlacesFound& b, const std::string& name) {
  ASSERT_EQ(a.places.size(), b.places.size()) << name;
  for (std::size_t k = 0; k < a.places.size(); ++k) {
    EXPECT_EQ(a.places[k].score, b.places[k].score) << name << ", place " << k;
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(coordinate(a.places[k].pose, i), coordinate(b.places[k].pose, i)) << name << ", place " << k;
  }
  EXPECT_EQ(a.coverage, b.coverage) << name;
  EXPECT_EQ(a.lattice, b.lattice) << name;
  EXPECT_EQ(a.headings, b.headings) << name;
  EXPECT_EQ(a.ground_below_m, b.ground_below_m) << name;
  EXPECT_EQ(a.interrupted, b.interrupted) << name;
}

}  // namespace ndt::initial_pose
