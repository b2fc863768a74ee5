#include "ndt/localization/pose_buffer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace ndt::localization {
namespace {

Transform at_x(double x) { return to_transform({x, 0, 0, 0, 0, 0}); }

PoseBuffer buffer_of(std::initializer_list<std::pair<double, double>> stamp_and_x) {
  PoseBuffer buffer(1, 10);
  for (const auto& [stamp_s, x] : stamp_and_x) buffer.push({stamp_s, at_x(x)});
  return buffer;
}

TEST(PoseBuffer, InterpolatesBetweenTheNeighboursOfATime) {
  const PoseBuffer buffer = buffer_of({{1, 0}, {1.5, 1}, {2, 5}});
  for (const auto& [stamp_s, x] : {std::pair(1.0, 0.0), {1.25, 0.5}, {1.5, 1.0}, {1.75, 3.0}, {2.0, 5.0}}) {
    const PoseBuffer::Found found = buffer.at(stamp_s);
    ASSERT_TRUE(found.pose) << stamp_s;
    EXPECT_NEAR((*found.pose)(0, 3), x, 1e-15) << stamp_s;
  }
}

TEST(PoseBuffer, TellsThePosesThatATimeLiesBetween) {
  const PoseBuffer buffer = buffer_of({{1, 0}, {1.5, 1}, {2, 5}});
  struct Between {
    double stamp_s, older, newer;
  };
  for (const auto& [stamp_s, older, newer] : {Between{1.25, 0, 1}, {1.5, 1, 1}, {1.75, 1, 5}, {2.5, 5, 5}}) {
    EXPECT_EQ(buffer.at(stamp_s).older(0, 3), older) << stamp_s;
    EXPECT_EQ(buffer.at(stamp_s).newer(0, 3), newer) << stamp_s;
  }
}

struct Case {
  const char* name;
  PoseBuffer buffer;
  double stamp_s;
  Miss miss;
};

TEST(PoseBuffer, RefusesAsTheReferenceDoes) {
  const Case cases[] = {
      {"empty", buffer_of({}), 1, Miss::too_few},
      {"one pose", buffer_of({{1, 0}}), 1, Miss::too_few},
      {"before the first", buffer_of({{1, 0}, {2, 0}}), 0.999, Miss::before_first},
      {"at the first", buffer_of({{1, 0}, {1.5, 0}}), 1, Miss::none},
      {"at a pose that is alone for a second", buffer_of({{1, 0}, {2, 0}}), 1, Miss::none},
      {"at a pose before a jump", buffer_of({{1, 0}, {1.5, 10}}), 1, Miss::none},
      {"the last holds", buffer_of({{1, 0}, {2, 0}}), 2.999, Miss::none},
      {"until it is too old", buffer_of({{1, 0}, {2, 0}}), 3, Miss::too_old},
      {"the older neighbour is too old", buffer_of({{1, 0}, {2.5, 0}}), 2.25, Miss::too_old},
      {"the newer neighbour is too far ahead", buffer_of({{1, 0}, {2.5, 0}}), 1.25, Miss::too_old},
      {"both within a second", buffer_of({{1, 0}, {2.5, 0}}), 1.75, Miss::none},
      {"a jump", buffer_of({{1, 0}, {1.5, 10}}), 1.25, Miss::jump},
      {"just no jump", buffer_of({{1, 0}, {1.5, 9.999}}), 1.25, Miss::none},
      {"a jump elsewhere", buffer_of({{1, 0}, {1.5, 10}, {2, 11}}), 1.75, Miss::none},
  };
  for (const Case& c : cases) {
    const PoseBuffer::Found found = c.buffer.at(c.stamp_s);
    EXPECT_EQ(to_string(found.miss), to_string(c.miss)) << c.name;
    EXPECT_EQ(found.pose.has_value(), c.miss == Miss::none) << c.name;
  }
}

TEST(PoseBuffer, ForgetsEverythingWhenTimeRunsBackwards) {
  PoseBuffer buffer = buffer_of({{1, 0}, {2, 1}, {3, 2}});
  buffer.push({0.5, at_x(7)});
  EXPECT_EQ(buffer.size(), 1U);
  buffer.push({1.0, at_x(8)});
  EXPECT_NEAR((*buffer.at(0.75).pose)(0, 3), 7.5, 1e-15);
}

TEST(PoseBuffer, KeepsWhatLaterLookupsNeed) {
  PoseBuffer buffer = buffer_of({{1, 0}, {1.5, 1}, {2, 2}, {2.5, 3}});
  buffer.forget_before(1.75);
  EXPECT_EQ(buffer.size(), 3U);
  EXPECT_NEAR((*buffer.at(1.75).pose)(0, 3), 1.5, 1e-15);
  buffer.forget_before(100);
  EXPECT_EQ(buffer.size(), 2U) << "fewer would never answer again";
}

TEST(PoseBuffer, TellsMotionsAlsoBackwardsAndALittleBeyondItsPoses) {
  const PoseBuffer buffer = buffer_of({{1, 0}, {1.5, 1}, {2, 4}});
  const auto metres = [&](double from_s, double to_s) { return (*buffer.motion(from_s, to_s))(0, 3); };
  EXPECT_NEAR(metres(1.25, 1.75), 2, 1e-12);
  EXPECT_NEAR(metres(1.75, 1.25), -2, 1e-12);
  EXPECT_NEAR(metres(2, 2.1), 0.6, 1e-12) << "at 6 m/s, as before";
  EXPECT_NEAR(metres(0.9, 1), 0.2, 1e-12) << "at 2 m/s, as after";
  EXPECT_FALSE(buffer.motion(2, 3)) << "a second after the last";
  EXPECT_FALSE(buffer_of({{1, 0}}).motion(1, 1));
}

TEST(PoseBuffer, RefusesWhatIsNoPose) {
  PoseBuffer buffer(1, 10);
  EXPECT_THROW(buffer.push({std::numeric_limits<double>::quiet_NaN(), {}}), std::invalid_argument);
  Transform scaled;
  scaled(0, 0) = 2;
  EXPECT_THROW(buffer.push({1, scaled}), std::invalid_argument);
  EXPECT_EQ(buffer.size(), 0U);
}

}  // namespace
}  // namespace ndt::localization
