#include "ndt/io/numbers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

template <class Error, class Parse>
void expect_refused(Parse parse, const char* flag,
                    std::initializer_list<std::pair<std::string, const char*>> texts) {
  for (const auto& [text, part] : texts)
    EXPECT_THAT([&] { parse(text, flag); },
                ThrowsMessage<Error>(AllOf(HasSubstr(std::string(flag) + ": "), HasSubstr(part))))
        << text.substr(0, 100);
}

const std::string kIdentity = "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1";

TEST(TransformText, SixNumbersArePositionAndAnglesInRxRyRzOrder) {
  const Transform expected = to_transform(Pose{1, -2.5, 3e-1, 0.1, -0.2, 0.3});
  EXPECT_THAT(parse_transform("1,-2.5,3e-1,0.1,-0.2,0.3", "--guess").m,
              testing::ElementsAreArray(expected.m));
}

TEST(TransformText, SixteenNumbersAreTheMatrixRowByRow) {
  const Transform got = parse_transform("0 -1 0 7, 1 0 0 8, 0 0 1 9, 0 0 0 1", "--guess");
  EXPECT_THAT(got.m, testing::ElementsAre(0, -1, 0, 7, 1, 0, 0, 8, 0, 0, 1, 9, 0, 0, 0, 1));
}

TEST(RosPoseText, AQuaternionHasItsScalarLast) {
  const double half = std::sqrt(0.5);  // a quarter turn to the left
  const Transform got = parse_ros_pose(fmt::format("1,2,3,0,0,{0},{0}", half), "--guess-ros");
  EXPECT_THAT(got.m,
              testing::Pointwise(testing::DoubleNear(1e-12), to_transform(Pose{1, 2, 3, 0, 0, kPi / 2}).m));
  const Transform rolled = parse_ros_pose(fmt::format("0 0 0 {0} 0 0 {0}", half), "--guess-ros");
  EXPECT_THAT(rolled.m,
              testing::Pointwise(testing::DoubleNear(1e-12), to_transform(Pose{0, 0, 0, kPi / 2}).m));
}

TEST(RosPoseText, AnglesAreOfFixedAxes) {
  // x turned by roll, then pitch, then yaw, about the axes of the map
  const Transform got = parse_ros_pose("0,0,0,0.1,0.2,0.3", "--guess-ros");
  const Transform expected = to_transform(Pose{0, 0, 0, 0, 0, 0.3}) * to_transform(Pose{0, 0, 0, 0, 0.2, 0}) *
                             to_transform(Pose{0, 0, 0, 0.1, 0, 0});
  EXPECT_THAT(got.m, testing::Pointwise(testing::DoubleNear(1e-15), expected.m));
  EXPECT_GT(rotation_error_rad(got, parse_transform("0,0,0,0.1,0.2,0.3", "--guess")), 0.01);
}

TEST(TransformText, CommasAndBlanksSeparateAlike) {
  for (const char* text : {"1,2,3,0,0,0", "1 2 3 0 0 0", " 1, 2 ,3\t0,0\n0 ", "+1 2.0 3e0 0 0 -0"})
    EXPECT_THAT(translation_of(parse_transform(text, "--guess")).z, 3) << text;
}

TEST(TransformText, EveryDigitOfADoubleIsKept) {
  EXPECT_EQ(parse_transform("0.1234567890123456789,81377.000000000015,0,0,0,0", "--guess").m[7],
            81377.000000000015);
}

TEST(TransformText, NumbersTooSmallForADoubleAreZero) {
  EXPECT_EQ(translation_of(parse_transform("1e-999,2,3,0,0,0", "--guess")).x, 0);
}

TEST(TransformText, WhatIsNoPoseIsRefusedWithItsPlaceAndText) {
  expect_refused<std::invalid_argument>(parse_transform, "--guess",
                                        {{"1,2,3,4,5", "--guess: 5 numbers"},
                                         {"1,2,3,4,5", "give 6"},
                                         {"1,2,3,4,5", "or 16"},
                                         {"1,2,3,4,5,6,7", "7 numbers"},
                                         {kIdentity + " 1", "17 numbers"},
                                         {"0,0,nan,0,0,0", "--guess: number 3 is 'nan'"},
                                         {"0,0,0,inf,0,0", "number 4 is 'inf'"},
                                         {"0,0,0,0,-inf,0", "number 5 is '-inf'"},
                                         {"1e999,0,0,0,0,0", "number 1 is '1e999'"},
                                         {"1,two,3,0,0,0", "number 2 is 'two'"},
                                         {"1m,2,3,0,0,0", "number 1 is '1m'"},
                                         {"+-1,2,3,0,0,0", "number 1 is '+-1'"},
                                         {"1,\x1B[31m2,3,0,0,0", "number 2 is '\\x1B[31m2'"},
                                         {std::string(1 << 20, '9') + "x", "9999...'; give"},
                                         {"1,,2,3,0,0,0", "number 2 is ''"},
                                         {"1,2,3,0,0,0,", "number 7 is ''"},
                                         {"", "number 1 is ''"},
                                         {"2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1", "--guess: not a rigid"},
                                         {"2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1", "scale"},
                                         {"-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "reflection"},
                                         {"1,2,3,0,0,0,1", "a quaternion of ROS goes with --guess-ros"}});
  EXPECT_NO_THROW(parse_transform(kIdentity, "--guess"));
}

TEST(RosPoseText, WhatIsNoPoseIsRefusedWithItsPlaceAndText) {
  expect_refused<std::invalid_argument>(parse_ros_pose, "--guess-ros",
                                        {{"1,2,3,0,0,0,0", "the quaternion qx,qy,qz,qw has length 0, not 1"},
                                         {"1,2,3,0,0,0,1.01", "qw is the last"},
                                         {"1,2,3,1e308,1e308,1e308,1e308", "not 1 within"},
                                         {"1,2,3,4,5", "--guess-ros: 5 numbers"},
                                         {"1,2,3,4,5", "give 7"},
                                         {"1,2,3,0,0,nan,1", "number 6 is 'nan'"}});
  EXPECT_NO_THROW(parse_ros_pose("1,2,3,0,0,0,1.0005", "--guess-ros"));
}

}  // namespace
}  // namespace ndt::harness
