#include <gtest/gtest.h>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/finite_points.hpp"

namespace ndt {
namespace {

std::vector<Point> at(float x, int count) {
  return std::vector<Point>(static_cast<std::size_t>(count), {1, x, -2});
}

TEST(Precision, IsLostWhereNeighbouringFloatsAreFurtherApartThanTheStep) {
  // 2^17 m = 131 km: 7.8 mm before it, 15.6 mm from it on.
  EXPECT_FALSE(too_coarse(at(131071, 10), 0.01));
  EXPECT_TRUE(too_coarse(at(131072, 10), 0.01));
  EXPECT_TRUE(too_coarse(at(-131072, 10), 0.01));
  EXPECT_FALSE(too_coarse(at(131072, 10), 0.015625)) << "exactly the spacing is fine";
  EXPECT_FALSE(too_coarse({}, 0.01));
}

TEST(Precision, AShorterEpsilonDoesNotAskForFinerClouds) {
  AlignOptions options;
  options.epsilon_m = 1e-6;
  EXPECT_EQ(coarsest_step_m(options), 0.01);
  options.epsilon_m = 1;
  EXPECT_EQ(coarsest_step_m(options), 1);
  EXPECT_NO_THROW(require_map_precision(at(5.4e6F, 10), options));
}

TEST(Precision, OfAMapIsThatOfItsOffsetsAndOfAScanThatOfItsOwnFrame) {
  const PointCloud far{{5.4e6, 0, 0}, at(10, 10)};
  EXPECT_NO_THROW(require_map_precision(far.points, {}));
  EXPECT_THROW(require_global_map_precision(finite_points(far).points, {}), InputError);
  EXPECT_THROW(scan_points(far, {}, "align"), InputError);
  EXPECT_EQ(scan_points({{}, at(10, 10)}, {}, "align").points.size(), 10U);
}

}  // namespace
}  // namespace ndt
