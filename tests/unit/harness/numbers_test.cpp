#include "ndt/io/numbers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "base/errors.hpp"
#include "data/dataset_name.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    parse_transform(text, "--guess");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
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

TEST(RosPoseText, WhatIsNoPoseIsRefused) {
  const auto refusal = [](std::string_view text) -> std::string {
    try {
      parse_ros_pose(text, "--guess-ros");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("1,2,3,0,0,0,0"), HasSubstr("the quaternion qx,qy,qz,qw has length 0, not 1"));
  EXPECT_THAT(refusal("1,2,3,0,0,0,1.01"), HasSubstr("qw is the last"));
  EXPECT_THAT(refusal("1,2,3,1e308,1e308,1e308,1e308"), HasSubstr("not 1 within"));
  EXPECT_THAT(refusal("1,2,3,4,5"), AllOf(HasSubstr("--guess-ros: 5 numbers"), HasSubstr("give 7")));
  EXPECT_THAT(refusal("1,2,3,0,0,nan,1"), HasSubstr("number 6 is 'nan'"));
  EXPECT_EQ(refusal("1,2,3,0,0,0,1.0005"), "");
  EXPECT_THAT(refusal_of("1,2,3,0,0,0,1"), HasSubstr("a quaternion of ROS goes with --guess-ros"));
}

TEST(TransformText, CommasAndBlanksSeparateAlike) {
  for (const char* text : {"1,2,3,0,0,0", "1 2 3 0 0 0", " 1, 2 ,3\t0,0\n0 ", "+1 2.0 3e0 0 0 -0"})
    EXPECT_THAT(translation_of(parse_transform(text, "--guess")).z, 3) << text;
}

TEST(TransformText, EveryDigitOfADoubleIsKept) {
  EXPECT_EQ(parse_transform("0.1234567890123456789,81377.000000000015,0,0,0,0", "--guess").m[7],
            81377.000000000015);
}

TEST(TransformText, AnyOtherCountIsRefusedWithTheCount) {
  EXPECT_THAT(refusal_of("1,2,3,4,5"),
              AllOf(HasSubstr("--guess: 5 numbers"), HasSubstr("give 6"), HasSubstr("or 16")));
  EXPECT_THAT(refusal_of("1,2,3,4,5,6,7"), HasSubstr("7 numbers"));
  EXPECT_THAT(refusal_of(kIdentity + " 1"), HasSubstr("17 numbers"));
}

TEST(TransformText, WhatIsNoFiniteNumberIsRefusedWithItsPlaceAndText) {
  EXPECT_THAT(refusal_of("0,0,nan,0,0,0"), HasSubstr("--guess: number 3 is 'nan'"));
  EXPECT_THAT(refusal_of("0,0,0,inf,0,0"), HasSubstr("number 4 is 'inf'"));
  EXPECT_THAT(refusal_of("0,0,0,0,-inf,0"), HasSubstr("number 5 is '-inf'"));
  EXPECT_THAT(refusal_of("1e999,0,0,0,0,0"), HasSubstr("number 1 is '1e999'"));
  EXPECT_THAT(refusal_of("1,two,3,0,0,0"), HasSubstr("number 2 is 'two'"));
  EXPECT_THAT(refusal_of("1m,2,3,0,0,0"), HasSubstr("number 1 is '1m'"));
  EXPECT_THAT(refusal_of("+-1,2,3,0,0,0"), HasSubstr("number 1 is '+-1'"));
}

TEST(TransformText, NumbersTooSmallForADoubleAreZero) {
  EXPECT_EQ(translation_of(parse_transform("1e-999,2,3,0,0,0", "--guess")).x, 0);
}

TEST(TransformText, WhatATerminalWouldObeyIsPrintedAsHexadecimal) {
  EXPECT_THAT(refusal_of("1,\x1B[31m2,3,0,0,0"), HasSubstr("number 2 is '\\x1B[31m2'"));
  EXPECT_THAT(refusal_of(std::string(1 << 20, '9') + "x"), HasSubstr("9999...'; give"));
}

TEST(TransformText, AMissingNumberBetweenCommasIsNotSkipped) {
  EXPECT_THAT(refusal_of("1,,2,3,0,0,0"), HasSubstr("number 2 is ''"));
  EXPECT_THAT(refusal_of("1,2,3,0,0,0,"), HasSubstr("number 7 is ''"));
  EXPECT_THAT(refusal_of(""), HasSubstr("number 1 is ''"));
}

TEST(TransformText, AMatrixThatIsNotRigidIsRefusedAtOnce) {
  EXPECT_THAT(refusal_of("2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1"),
              AllOf(HasSubstr("--guess: not a rigid"), HasSubstr("scale")));
  EXPECT_THAT(refusal_of("-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"), HasSubstr("reflection"));
  EXPECT_EQ(refusal_of(kIdentity), "accepted");
}

}  // namespace
}  // namespace ndt::harness
