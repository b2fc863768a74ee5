#include "ndt/core/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

namespace ndt {
namespace {

constexpr double kRelative = 1e-13;  // some dozens of rotations, each off by a few 1e-16

template <int N>
using Matrix = Eigen::Matrix<double, N, N>;

/// Ascending values, orthonormal vectors, small residual, and Eigen's eigenvalues.
template <int N>
void expect_decomposed(const Matrix<N>& m, const std::string& name) {
  double a[N][N];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) a[i][j] = m(i, j);
  const SymmetricEigen<N> got = symmetric_eigen(a);

  const double scale = m.norm();
  const Eigen::SelfAdjointEigenSolver<Matrix<N>> expected(m);
  Matrix<N> v;
  for (int k = 0; k < N; ++k)
    for (int i = 0; i < N; ++i) v(i, k) = got.vectors[k][i];
  for (int k = 0; k < N; ++k) {
    EXPECT_NEAR(got.values[k], expected.eigenvalues()(k), kRelative * scale) << name << ", value " << k;
    EXPECT_LE((m * v.col(k) - got.values[k] * v.col(k)).norm(), kRelative * scale)
        << name << ", vector " << k;
  }
  EXPECT_TRUE(std::is_sorted(got.values, got.values + N)) << name << " is not ascending";
  EXPECT_LE((v.transpose() * v - Matrix<N>::Identity()).norm(), kRelative) << name << " is not orthonormal";
}

template <int N>
Matrix<N> random_symmetric(std::mt19937& random, double scale) {
  std::normal_distribution<double> normal;
  Matrix<N> m;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) m(i, j) = scale * normal(random);
  return m + m.transpose().eval();
}

template <int N>
Matrix<N> random_rotation(std::mt19937& random) {
  return Eigen::SelfAdjointEigenSolver<Matrix<N>>(random_symmetric<N>(random, 1)).eigenvectors();
}

template <int N>
void expect_random_ones_decomposed() {
  std::mt19937 random(7);
  for (const double scale : {1e-12, 1.0, 1e9})
    for (int i = 0; i < 200; ++i)
      expect_decomposed<N>(random_symmetric<N>(random, scale),
                           "random " + std::to_string(i) + " of scale " + std::to_string(scale));
}

TEST(SymmetricEigen, DecomposesRandom3x3) { expect_random_ones_decomposed<3>(); }
TEST(SymmetricEigen, DecomposesRandom6x6) { expect_random_ones_decomposed<6>(); }

TEST(SymmetricEigen, DecomposesRepeatedEigenvalues) {
  std::mt19937 random(8);
  for (int i = 0; i < 50; ++i) {
    const Matrix<3> r = random_rotation<3>(random);
    const Matrix<3> m = r * Eigen::Vector3d(2, 2, 5).asDiagonal() * r.transpose();
    expect_decomposed<3>((m + m.transpose()) / 2, "two of three equal, " + std::to_string(i));
    const Matrix<6> q = random_rotation<6>(random);
    const Matrix<6> h = q * Eigen::Matrix<double, 6, 1>(-1, -1, -1, 4, 4, 4).asDiagonal() * q.transpose();
    expect_decomposed<6>((h + h.transpose()) / 2, "two triples, " + std::to_string(i));
  }
  expect_decomposed<3>(Matrix<3>::Identity() * 7, "multiple of identity");
}

TEST(SymmetricEigen, DecomposesAWideSpreadOfEigenvalues) {
  std::mt19937 random(9);
  for (int i = 0; i < 50; ++i) {
    const Matrix<6> q = random_rotation<6>(random);
    const Matrix<6> h =
        q * Eigen::Matrix<double, 6, 1>(1e-6, 1e-3, 1, 1e3, 1e6, -1e6).asDiagonal() * q.transpose();
    expect_decomposed<6>((h + h.transpose()) / 2, "twelve decades, " + std::to_string(i));
  }
}

TEST(SymmetricEigen, DecomposesZeroDiagonalAndRankOne) {
  expect_decomposed<3>(Matrix<3>::Zero(), "zero");
  expect_decomposed<6>(Matrix<6>::Zero(), "zero 6x6");
  expect_decomposed<3>(Eigen::Vector3d(3, -1, 2).asDiagonal(), "diagonal");
  const Eigen::Vector3d v(1, -2, 3);
  expect_decomposed<3>(v * v.transpose(), "rank one");
  expect_decomposed<6>(Matrix<6>::Ones(), "all ones");
  Matrix<3> zero_diagonal;
  zero_diagonal << 0, 1, 2, 1, 0, 3, 2, 3, 0;
  expect_decomposed<3>(zero_diagonal, "zero diagonal");
}

TEST(SymmetricEigen, ADiagonalMatrixKeepsItsEntriesExactlyAndSorted) {
  const double a[3][3] = {{3, 0, 0}, {0, -1, 0}, {0, 0, 2}};
  const SymmetricEigen<3> got = symmetric_eigen(a);
  EXPECT_EQ(got.values[0], -1);
  EXPECT_EQ(got.values[1], 2);
  EXPECT_EQ(got.values[2], 3);
  EXPECT_EQ(std::abs(got.vectors[0][1]), 1);
  EXPECT_EQ(std::abs(got.vectors[1][2]), 1);
  EXPECT_EQ(std::abs(got.vectors[2][0]), 1);
}

TEST(SymmetricEigen, OfTwoMatricesSideBySideIsToTheBitThatOfEach) {
  constexpr int kKinds = 5;
  std::mt19937 random(10);
  const auto of_kind = [&](int kind, double(&a)[6][6]) {
    Matrix<6> m = random_symmetric<6>(random, kind == 1 ? 1e9 : 1);
    if (kind == 2) m.row(4).setZero(), m.col(4).setZero();
    if (kind == 3) m = m.diagonal().asDiagonal().toDenseMatrix();
    if (kind == 4) m = m.col(0) * m.col(0).transpose();
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) a[i][j] = m(i, j);
  };
  const auto same_bits = [](const SymmetricEigen<6>& a, const SymmetricEigen<6>& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  };
  for (int i = 0; i < 40 * kKinds * kKinds; ++i) {
    double a[6][6], b[6][6];
    of_kind(i % kKinds, a);
    of_kind(i / kKinds % kKinds, b);
    const SymmetricEigenPair<6> got = symmetric_eigen(a, b);
    ASSERT_TRUE(same_bits(got.first, symmetric_eigen(a))) << i;
    ASSERT_TRUE(same_bits(got.second, symmetric_eigen(b))) << i;
  }
}

}  // namespace
}  // namespace ndt
