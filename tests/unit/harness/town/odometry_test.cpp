#include "town/odometry.hpp"

#include <gtest/gtest.h>

namespace ndt::harness::town {
namespace {

TEST(TownOdometry, ACarThatIsCarriedOffCountsOnAsBefore) {
  std::vector<StampedTransform> poses;
  for (int i = 0; i < 10; ++i)
    poses.push_back(
        {0.1 * i, to_transform({i < 5 ? 1.0 * i : 100 + 1.0 * i, 0, 0, 0, 0, i < 5 ? 0.0 : 1.5})});
  const std::vector<StampedTransform> odometry = odometry_of(poses, 1, 5);
  ASSERT_EQ(odometry.size(), poses.size());
  for (std::size_t i = 1; i < odometry.size(); ++i) {
    const Transform step = inverse(odometry[i - 1].map_from_body) * odometry[i].map_from_body;
    const Transform before = inverse(poses[i - 1].map_from_body) * poses[i].map_from_body;
    const double metres = i == 5 ? 1 : translation_error_m({}, before);
    EXPECT_NEAR(translation_error_m({}, step), metres, 0.07 * metres) << i;
    EXPECT_LT(rotation_error_rad({}, step), 0.01) << i;
  }
  const std::vector<StampedTransform> driven = odometry_of(poses, 1);
  EXPECT_GT(translation_error_m(driven[4].map_from_body, driven[5].map_from_body), 90);
}

}  // namespace
}  // namespace ndt::harness::town
