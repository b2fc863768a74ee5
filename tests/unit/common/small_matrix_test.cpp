#include "ndt/core/small_matrix.hpp"

#include <gtest/gtest.h>

namespace ndt {
namespace {

constexpr Mat3<double> kA{{1, 2, 3, 4, 5, 6, 7, 8, 10}};
constexpr Mat3<double> kB{{2, 0, 1, -1, 3, 0, 0, 4, -2}};
constexpr Vec3<double> kV{1, -2, 3};

void expect_equal(const Mat3<double>& a, const Mat3<double>& b) {
  for (int i = 0; i < 9; ++i) EXPECT_EQ(a.m[i], b.m[i]) << "entry " << i / 3 << ", " << i % 3;
}

void expect_equal(const Vec3<double>& a, const Vec3<double>& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}

TEST(SmallMatrix, ProductIsRowTimesColumn) { expect_equal(kA * kB, {{0, 18, -5, 3, 39, -8, 6, 64, -13}}); }

TEST(SmallMatrix, ProductWithAVectorUsesRows) { expect_equal(kA * kV, Vec3<double>{6, 12, 21}); }

TEST(SmallMatrix, TransposeOfAProductIsTheProductOfTransposesReversed) {
  expect_equal(transpose(kA * kB), transpose(kB) * transpose(kA));
  expect_equal(transpose(transpose(kA)), kA);
}

TEST(SmallMatrix, SymmetricProductEqualsThatOfItsFullMatrix) {
  const Sym3<double> s{1, 2, 3, 4, 5, 6};
  expect_equal(full(s), {{1, 2, 3, 2, 4, 5, 3, 5, 6}});
  expect_equal(s * kV, full(s) * kV);
  expect_equal(transpose(full(s)), full(s));
}

TEST(SmallMatrix, VectorsAddSubtractScaleAndMultiply) {
  const Vec3<double> w{4, 5, 6};
  expect_equal(kV + w, {5, 3, 9});
  expect_equal(kV - w, {-3, -7, -3});
  expect_equal(2.0 * kV, {2, -4, 6});
  EXPECT_EQ(dot(kV, w), 12);
}

TEST(SmallMatrix, SixVectorsMultiply) {
  const Vec6 a{{1, 2, 3, 4, 5, 6}}, b{{6, -5, 4, -3, 2, -1}};
  EXPECT_EQ(dot(a, b), 6 - 10 + 12 - 12 + 10 - 6);
}

TEST(SmallMatrix, IndexingIsRowMajor) {
  Mat6 h;
  h(2, 5) = 7;
  EXPECT_EQ(h.m[17], 7);
  EXPECT_EQ(kA(1, 2), 6);
}

TEST(SmallMatrix, EverythingStartsAtZero) {
  const Mat6 h;
  for (int i = 0; i < 36; ++i) EXPECT_EQ(h.m[i], 0) << i;
  const Vec6 v;
  EXPECT_EQ(dot(v, v), 0);
  expect_equal(Mat3<double>{}, {{0, 0, 0, 0, 0, 0, 0, 0, 0}});
}

TEST(SmallMatrix, CastRoundsEveryEntryOnce) {
  const Vec3<float> v = cast<float>(Vec3<double>{0.1, -1e-50, 16777217});
  EXPECT_EQ(v.x, 0.1F);
  EXPECT_EQ(v.y, 0.0F);
  EXPECT_EQ(v.z, 16777216.0F);
  expect_equal(cast<double>(cast<float>(kA)), kA);
  const Sym3<float> s = cast<float>(Sym3<double>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(s.xz, 3.0F);
  EXPECT_EQ(s.yz, 5.0F);
}

}  // namespace
}  // namespace ndt
