// Tests which matrices require_rigid accepts as a pose, and the messages of its refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "message_of.hpp"
#include "ndt/core/pose.hpp"
#include "random_poses.hpp"

namespace ndt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const Transform& t) {
  return message_of<std::invalid_argument>([&] { require_rigid(t, "align"); });
}

Transform with_entry(int row, int col, double value) {
  Transform t = to_transform({1, 2, 3, 0.1, 0.2, 0.3});
  t(row, col) = value;
  return t;
}

Transform scaled_rows(double x, double y, double z) {
  Transform t = to_transform({1, 2, 3, 0.1, 0.2, 0.3});
  const double scale[] = {x, y, z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) t(i, j) *= scale[i];
  return t;
}

TEST(RequireRigid, AcceptsRotationsAndFarTranslations) {
  for (Pose p : random_poses(4, 500)) {
    EXPECT_EQ(refusal(to_transform(p)), "") << p;
    p.x += 5e6;
    EXPECT_EQ(refusal(to_transform(p)), "") << p;
  }
}

TEST(RequireRigid, AcceptsMatricesRoundedToFloatAndProductsOfThem) {
  Mat3<float> product = cast<float>(rotation_of(Pose{}));
  for (const Pose& p : random_poses(5, 500)) {
    const Mat3<float> rounded = cast<float>(rotation_of(p));
    EXPECT_EQ(refusal(make_transform(cast<double>(rounded), {1, 2, 3})), "") << p;
    product = product * rounded;
  }
  EXPECT_EQ(refusal(make_transform(cast<double>(product), {})), "") << "product of 500 float matrices";
}

TEST(RequireRigid, NamesTheEntryThatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const std::string entry = "entry (" + std::to_string(i) + ", " + std::to_string(j) + ") is ";
      EXPECT_THAT(refusal(with_entry(i, j, nan)),
                  AllOf(StartsWith("align: not a rigid transform: "), HasSubstr(entry + "nan")));
      EXPECT_THAT(refusal(with_entry(i, j, -inf)), HasSubstr(entry + "-inf"));
    }
}

TEST(RequireRigid, NamesTheLastRow) {
  EXPECT_THAT(refusal(with_entry(3, 3, 2)), AllOf(HasSubstr("last row"), HasSubstr("entry 3 is 2")));
  EXPECT_THAT(refusal(with_entry(3, 0, 0.5)), AllOf(HasSubstr("last row"), HasSubstr("entry 0 is 0.5")));
}

TEST(RequireRigid, RefusesAColumnMajorMatrixByItsLastRow) {
  Transform swapped;
  const Transform t = to_transform({1, 2, 3, 0.1, 0.2, 0.3});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) swapped(i, j) = t(j, i);
  EXPECT_THAT(refusal(swapped), HasSubstr("last row"));
}

TEST(RequireRigid, NamesScaleAndTheRowItFound) {
  EXPECT_THAT(refusal(scaled_rows(2, 2, 2)), AllOf(HasSubstr("(scale)"), HasSubstr("row 0 has length 2")));
  EXPECT_THAT(refusal(scaled_rows(1, 1, 0.5)),
              AllOf(HasSubstr("(scale)"), HasSubstr("row 2 has length 0.5")));
  EXPECT_THAT(refusal(scaled_rows(1, 1.01, 1)), AllOf(HasSubstr("(scale)"), HasSubstr("row 1")));
  EXPECT_EQ(refusal(scaled_rows(1, 1.0001, 1)), "") << "within the float32 allowance";
}

TEST(RequireRigid, NamesTheAllZeroMatrixAsScale) {
  EXPECT_THAT(refusal(scaled_rows(0, 0, 0)), AllOf(HasSubstr("(scale)"), HasSubstr("length 0")));
}

TEST(RequireRigid, NamesShear) {
  // Two unit rows 0.01 rad from perpendicular.
  Transform t;
  t(1, 0) = std::sin(0.01);
  t(1, 1) = std::cos(0.01);
  EXPECT_THAT(refusal(t), AllOf(HasSubstr("(shear)"), HasSubstr("rows 0 and 1"), HasSubstr("0.00999")));
}

TEST(RequireRigid, NamesReflection) {
  EXPECT_THAT(refusal(scaled_rows(1, 1, -1)),
              AllOf(HasSubstr("(reflection)"), HasSubstr("determinant is -")));
}

TEST(RequireRigid, SaysWhoAskedAndWhatToDo) {
  EXPECT_THAT(refusal(scaled_rows(2, 2, 2)),
              AllOf(StartsWith("align: "), HasSubstr("give a rotation and a translation")));
}

}  // namespace
}  // namespace ndt
