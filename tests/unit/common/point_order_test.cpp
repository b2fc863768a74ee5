#include "ndt/edge/point_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ndt/score/scan_point.hpp"

namespace ndt {
namespace {

std::vector<Point> random_points(std::size_t count, float reach_m) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> coordinate(-reach_m, reach_m);
  std::vector<Point> points(count);
  for (Point& p : points) p = {coordinate(random), coordinate(random), coordinate(random)};
  return points;
}

/// Length of the way through the points in their order.
double way_m(const std::vector<Point>& points) {
  double way = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    way += std::sqrt(static_cast<double>(squared_length(points[i] - points[i - 1])));
  return way;
}

TEST(PointOrder, KeepsEveryPointAndMakesTheWayThroughThemShorter) {
  for (const std::size_t count : {0U, 1U, 2U, 257U, 5000U}) {
    const std::vector<Point> points = random_points(count, 60);
    std::vector<Point> arranged = points;
    PointOrder order;
    order.arrange(arranged);
    // The values are the points' first coordinates, so restoring them must give those of the points.
    std::vector<float> values;
    for (const Point& p : arranged) values.push_back(p.x);
    order.restore(values);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], points[i].x) << i;
    if (count == 5000) {
      EXPECT_LT(way_m(arranged), 0.5 * way_m(points)) << count;
    }
  }
}

TEST(PointOrder, PointsOfACellKeepTheirOrder) {
  std::vector<Point> points = random_points(100, 1);
  for (Point& p : points) p = {std::abs(p.x), std::abs(p.y), std::abs(p.z)};
  std::vector<Point> arranged = points;
  PointOrder().arrange(arranged);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(arranged[i].x, points[i].x) << i;
}

TEST(PointOrder, TakesCoordinatesOfAnySize) {
  std::vector<Point> points = {{3e38F, 0, 0}, {-3e38F, 0, 0}, {0, 1e30F, -1e30F}};
  PointOrder order;
  order.arrange(points);
  std::vector<float> values = {points[0].x, points[1].x, points[2].x};
  order.restore(values);
  EXPECT_EQ(values, (std::vector<float>{3e38F, -3e38F, 0}));
}

}  // namespace
}  // namespace ndt
