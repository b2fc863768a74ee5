// Clouds to search for places in, and the comparison of the places found.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "ndt/initial_pose/place_search.hpp"

namespace ndt::initial_pose {

using Random = std::mt19937;

inline PointCloud cloud_of(std::vector<Point> points) { return {{}, std::move(points)}; }

/// Points all over a box [m].
inline PointCloud random_cloud(Random& random, int points, Point size) {
  std::uniform_real_distribution<float> unit(0, 1);
  PointCloud cloud;
  for (int i = 0; i < points; ++i) {
    const float x = unit(random), y = unit(random), z = unit(random);
    cloud.points.push_back({size.x * x, size.y * y, size.z * z});
  }
  return cloud;
}

/// Ground with a long and a short wall on it, seen from 1.5 m above a place in the map.
struct Yard {
  PointCloud map, scan;
  Pose truth{14, 9, 1.5, 0, 0, 0.7};

  Yard() {
    for (float x = 0; x < 30; x += 0.4F)
      for (float y = 0; y < 20; y += 0.4F) map.points.push_back({x, y, 0.05F});
    for (float z = 0.2F; z < 4; z += 0.3F) {
      for (float x = 5; x < 22; x += 0.3F) map.points.push_back({x, 14.2F, z});
      for (float y = 4; y < 14; y += 0.3F) map.points.push_back({21.7F, y, z});
    }
    const Transform scan_from_map = inverse(to_transform(truth));
    for (const Point& p : map.points) {
      const Vec3<double> seen = rotation_of(scan_from_map) * cast<double>(p) + translation_of(scan_from_map);
      if (std::hypot(seen.x, seen.y) < 12) scan.points.push_back(cast<float>(seen));
    }
  }
};

inline void expect_same(const PlacesFound& a, const PlacesFound& b) {
  ASSERT_EQ(a.places.size(), b.places.size());
  for (std::size_t k = 0; k < a.places.size(); ++k) {
    EXPECT_EQ(a.places[k].score, b.places[k].score) << k;
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(coordinate(a.places[k].pose, i), coordinate(b.places[k].pose, i)) << k;
  }
}

}  // namespace ndt::initial_pose
