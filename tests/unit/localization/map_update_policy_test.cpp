#include "ndt/localization/map_update_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "message_of.hpp"

namespace ndt::localization {
namespace {

using testing::HasSubstr;

constexpr MapCircle kAtOrigin{{0, 0}, 150};

TEST(MapUpdatePolicy, FollowsAutowaresTruthTable) {
  struct Row {
    double way_m;
    const char* need;
  };
  constexpr double kTwenty = 20.000001, kFifty = 50.000001;
  const MapUpdatePolicy policy({}, kAtOrigin);
  for (const Row& row :
       {Row{0, "keep"}, Row{10, "keep"}, Row{20, "keep"}, Row{kTwenty, "update"}, Row{35, "update"},
        Row{50, "update"}, Row{kFifty, "out_of_range"}, Row{149, "out_of_range"}, Row{5000, "out_of_range"}})
    for (int degrees = 0; degrees < 360; degrees += 90) {
      const double x = std::round(std::cos(degrees * 0.017453292519943295)) * row.way_m,
                   y = std::round(std::sin(degrees * 0.017453292519943295)) * row.way_m;
      EXPECT_EQ(std::string(to_string(policy.need({x, y}))), row.need) << row.way_m << " m, " << degrees;
      EXPECT_EQ(policy.due({x, y}), row.need != std::string("keep")) << row.way_m;
    }
}

TEST(MapUpdatePolicy, CountsTheWayFromTheMapInForce) {
  MapUpdatePolicy policy({}, kAtOrigin);
  policy.took(policy.around({40, 0}));
  EXPECT_EQ(policy.in_force().radius_m, 150);
  EXPECT_EQ(policy.need({0, 0}), MapNeed::update);
  EXPECT_EQ(policy.need({50, 0}), MapNeed::keep);
  EXPECT_EQ(policy.need({90.1, 0}), MapNeed::out_of_range);
}

TEST(MapUpdatePolicy, ALargerFirstMapIsLeftLater) {
  const MapUpdatePolicy policy({}, {{0, 0}, 180});
  EXPECT_EQ(policy.need({79, 0}), MapNeed::update);
  EXPECT_EQ(policy.need({81, 0}), MapNeed::out_of_range);
}

TEST(MapUpdatePolicy, WhatFailedIsTriedAgainAfterAnUpdateDistance) {
  MapUpdatePolicy policy({}, kAtOrigin);
  policy.failed(policy.around({20, 0}));
  EXPECT_EQ(policy.need({30, 0}), MapNeed::update) << "it is still needed";
  EXPECT_FALSE(policy.due({20, 0}));
  EXPECT_FALSE(policy.due({39.9, 0}));
  EXPECT_TRUE(policy.due({40, 0}));
  policy.failed(policy.around({40, 0}));
  EXPECT_EQ(policy.need({55, 0}), MapNeed::out_of_range);
  EXPECT_FALSE(policy.due({55, 0})) << "not with every scan";
  EXPECT_TRUE(policy.due({60, 0}));
  policy.took(policy.around({60, 0}));
  EXPECT_TRUE(policy.due({80.1, 0}));
}

std::string refusal(const MapFollowing& options) {
  return message_of<std::invalid_argument>([&] { const MapUpdatePolicy policy(options, kAtOrigin); });
}

TEST(MapUpdatePolicy, RefusesWhatLeavesNoRoomForAScan) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.radius_m = 120}), "") << "just enough";
  EXPECT_THAT(refusal({.radius_m = 60}),
              HasSubstr("option map-radius = 60: must not be below lidar-radius + map-update-distance, 100 + "
                        "20 = 120; make these smaller, too"));
  EXPECT_THAT(refusal({.radius_m = 0}), HasSubstr("option map-radius = 0: must be in (0, 1000000]"));
  EXPECT_THAT(refusal({.update_distance_m = 0}), HasSubstr("option map-update-distance = 0"));
  EXPECT_THAT(refusal({.lidar_radius_m = -1}), HasSubstr("option lidar-radius = -1"));
  EXPECT_THAT(refusal({.radius_m = std::numeric_limits<double>::quiet_NaN()}), HasSubstr("map-radius"));
}

}  // namespace
}  // namespace ndt::localization
