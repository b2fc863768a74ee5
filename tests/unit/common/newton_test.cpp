#include "ndt/solve/newton.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace ndt {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

// Solutions of matrices with a condition number of a few hundred: 1e-16 times that, with a margin.
constexpr double kRelative = 1e-11;

Mat6 to_mat6(const Matrix6& m) {
  Mat6 out;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out(i, j) = m(i, j);
  return out;
}
Vec6 to_vec6(const Vector6& v) {
  Vec6 out;
  for (int i = 0; i < 6; ++i) out[i] = v(i);
  return out;
}
Vector6 to_eigen(const Vec6& v) { return Eigen::Map<const Vector6>(v.v); }

Vector6 random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Vector6 v;
  for (int i = 0; i < 6; ++i) v(i) = normal(random);
  return v;
}
Matrix6 random_matrix(std::mt19937& random) {
  Matrix6 m;
  for (int i = 0; i < 6; ++i) m.col(i) = random_vector(random);
  return m;
}
Matrix6 symmetric(const Matrix6& m) { return (m + m.transpose()) / 2; }

Vector6 svd_solution(const Matrix6& h, const Vector6& g) {
  const Eigen::JacobiSVD<Matrix6> svd(h, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.solve(-g);
}

void expect_near(const Vec6& got, const Vector6& expected, const std::string& name) {
  EXPECT_LE((to_eigen(got) - expected).norm(), kRelative * (1e-300 + expected.norm()))
      << name << ":\n got " << to_eigen(got).transpose() << "\n not " << expected.transpose();
}

TEST(NewtonStep, SolvesNegativeDefiniteHessiansAsEigenDoes) {
  std::mt19937 random(10);
  for (int i = 0; i < 200; ++i) {
    const Matrix6 a = random_matrix(random);
    const Matrix6 h = -(a * a.transpose() + 0.1 * Matrix6::Identity());
    const Vector6 g = random_vector(random);
    const NewtonDirection got = newton_direction(NewtonStep::reference, to_mat6(h), to_vec6(g));
    const std::string name = "negative definite " + std::to_string(i);
    EXPECT_FALSE(got.fallback) << name;
    expect_near(got.delta, h.ldlt().solve(-g), name);
    EXPECT_GT(g.dot(to_eigen(got.delta)), 0) << name << " points downhill";
  }
}

TEST(NewtonStep, SolvesIndefiniteHessiansLikeTheSvdAndSaysSo) {
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    const Matrix6 r = Eigen::JacobiSVD<Matrix6>(random_matrix(random), Eigen::ComputeFullU).matrixU();
    const Matrix6 h = symmetric(r * Vector6(-5, -4, -3, -2, -1, 0.5 + i).asDiagonal() * r.transpose());
    const Vector6 g = random_vector(random);
    const NewtonDirection got = newton_direction(NewtonStep::reference, to_mat6(h), to_vec6(g));
    const std::string name = "indefinite " + std::to_string(i);
    EXPECT_TRUE(got.fallback) << name;
    expect_near(got.delta, svd_solution(h, g), name);
  }
}

TEST(NewtonStep, SolvesWithPivotsWhereTheFactorsOfAnIndefiniteHessianAreInaccurate) {
  std::mt19937 random(14);
  for (int i = 0; i < 200; ++i) {
    const Matrix6 r = Eigen::JacobiSVD<Matrix6>(random_matrix(random), Eigen::ComputeFullU).matrixU();
    Matrix6 h = symmetric(r * Vector6(-5, -4, -3, -2, -1, 2).asDiagonal() * r.transpose());
    h(0, 0) = i % 2 == 0 ? 0 : 1e-7;  // the first pivot of a factorisation without pivoting
    const Vector6 g = random_vector(random);
    Vec6 unused;
    ASSERT_EQ(solve_symmetric(to_mat6(h), to_vec6(g), unused), Definiteness::unknown);
    NewtonScratch scratch;
    Vec6 delta;
    ASSERT_TRUE(solve_pivoted(SoloCrew{}, to_mat6(h), to_vec6(g), scratch, delta)) << i;
    expect_near(delta, svd_solution(h, g), "pivots of " + std::to_string(i));
    const NewtonDirection got = newton_direction(NewtonStep::reference, to_mat6(h), to_vec6(g));
    EXPECT_TRUE(got.fallback) << i;
    EXPECT_EQ(to_eigen(got.delta), to_eigen(delta)) << i;
  }
}

TEST(NewtonStep, GivesTheMinimumNormStepOfASingularHessian) {
  std::mt19937 random(12);
  // Entries whose rank is exact in floating point: a free direction is a zero row, or a difference that does
  // not count.
  Matrix6 free_x = Matrix6::Zero();
  free_x.diagonal() << 0, -2, -3, -4, -5, -6;
  Matrix6 coupled = Matrix6::Zero();
  coupled.diagonal() << -1, -1, -3, -4, -5, -6;
  coupled(0, 1) = coupled(1, 0) = 1;  // x + y is free
  Matrix6 rank_one = -Matrix6::Ones();
  const std::pair<const char*, Matrix6> singular[] = {
      {"x is free", free_x}, {"x + y is free", coupled}, {"rank one", rank_one}};
  for (const auto& [name, h] : singular)
    for (int i = 0; i < 20; ++i) {
      const Vector6 g = random_vector(random);
      const NewtonDirection got = newton_direction(NewtonStep::reference, to_mat6(h), to_vec6(g));
      EXPECT_TRUE(got.fallback) << name;
      expect_near(got.delta, svd_solution(h, g), name);
    }
}

TEST(NewtonStep, AFreeDirectionGetsNoStep) {
  Mat6 h;
  for (int i = 1; i < 6; ++i) h(i, i) = -2;
  const NewtonDirection got = newton_direction(NewtonStep::reference, h, {{7, 2, 4, 6, 8, 10}});
  const double expected[] = {0, 1, 2, 3, 4, 5};
  for (int i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(got.delta[i], expected[i]) << i;
}

TEST(NewtonStep, AZeroHessianGivesAZeroStep) {
  const NewtonDirection got = newton_direction(NewtonStep::reference, {}, {{1, 2, 3, 4, 5, 6}});
  EXPECT_TRUE(got.fallback);
  EXPECT_EQ(dot(got.delta, got.delta), 0);
}

TEST(NewtonStep, AZeroGradientGivesAZeroStep) {
  Mat6 h;
  for (int i = 0; i < 6; ++i) h(i, i) = -1 - i;
  const NewtonDirection got = newton_direction(NewtonStep::reference, h, {});
  EXPECT_FALSE(got.fallback);
  EXPECT_EQ(dot(got.delta, got.delta), 0);
}

TEST(NewtonStep, DampingTurnsAnIndefiniteHessianIntoAnAscentStep) {
  std::mt19937 random(13);
  for (int i = 0; i < 200; ++i) {
    const Matrix6 h = symmetric(random_matrix(random));
    const Vector6 g = random_vector(random);
    const NewtonDirection got = newton_direction(NewtonStep::damped, to_mat6(h), to_vec6(g));
    ASSERT_FALSE(got.failed) << "indefinite " << i;
    EXPECT_GT(g.dot(to_eigen(got.delta)), 0) << "indefinite " << i << " points downhill";
    // The step solves (-H + λI) δ = g for one λ of the schedule.
    const double largest = h.diagonal().cwiseAbs().maxCoeff();
    double smallest_residual = 1e300;
    for (int k = 0; k < 12; ++k) {
      const double lambda = 1e-6 * largest * std::pow(10.0, k);
      const Vector6 residual = -h * to_eigen(got.delta) + lambda * to_eigen(got.delta) - g;
      smallest_residual = std::min(smallest_residual, residual.norm() / g.norm());
    }
    EXPECT_LE(smallest_residual, 1e-9) << "indefinite " << i;
  }
}

TEST(NewtonStep, DampingIsNotUsedWhereItIsNotNeededAndFailsOnAZeroHessian) {
  Mat6 h;
  for (int i = 0; i < 6; ++i) h(i, i) = -2;
  const Vec6 g{{2, 4, 6, 8, 10, 12}};
  const NewtonDirection plain = newton_direction(NewtonStep::damped, h, g);
  EXPECT_FALSE(plain.fallback);
  EXPECT_DOUBLE_EQ(plain.delta[5], 6);
  EXPECT_TRUE(newton_direction(NewtonStep::damped, {}, g).failed);
}

TEST(NewtonStep, ANotANumberAnywhereGivesNoStepAndNoHang) {
  const Vec6 g{{1, 1, 1, 1, 1, 1}};
  for (const NewtonStep kind : {NewtonStep::reference, NewtonStep::damped})
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j) {
        Mat6 h;
        for (int k = 0; k < 6; ++k) h(k, k) = -1;
        h(i, j) = h(j, i) = std::nan("");
        const NewtonDirection got = newton_direction(kind, h, g);
        EXPECT_TRUE(got.fallback) << to_string(kind) << " " << i << j;
        const double squared_length = dot(got.delta, got.delta);
        EXPECT_TRUE(got.failed || !(squared_length > 0 && std::isfinite(squared_length)))
            << to_string(kind) << " " << i << j << ": " << squared_length;
      }
}

TEST(NewtonStep, CholeskyRefusesWhatIsNotPositiveDefinite) {
  Vec6 delta;
  const Vec6 g{{1, 1, 1, 1, 1, 1}};
  Mat6 h;
  for (int i = 0; i < 6; ++i) h(i, i) = -1;
  EXPECT_TRUE(solve_positive_definite(h, g, delta));
  for (int i = 0; i < 6; ++i) {
    for (const double bad : {0.0, 1e-12, 1.0, std::nan("")}) {
      Mat6 broken = h;
      broken(i, i) = bad;
      EXPECT_FALSE(solve_positive_definite(broken, g, delta)) << "diagonal " << i << " = " << bad;
    }
  }
  h(0, 5) = h(5, 0) = 1.5;  // a positive diagonal is not enough
  EXPECT_FALSE(solve_positive_definite(h, g, delta));
}

}  // namespace
}  // namespace ndt
