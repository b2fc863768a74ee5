// The oracle's score, gradient and Hessian: against central differences, and against themselves with other
// thread counts.
#include "score.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>

#include "at_resolution.hpp"
#include "data/courtyard.hpp"
#include "random_poses.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

Eigen::Matrix4f matrix_of(const Pose& pose) {
  const Transform t = to_transform(pose);
  Eigen::Matrix4f m;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) m(i, j) = static_cast<float>(t(i, j));
  return m;
}

TEST(GaussConstants, AreThoseOfFiftyDigitArithmetic) {
  const double known[][3] = {{1, -2.2172252440428890668, 0.43312300470355460917},
                             {2, -4.1965181869514079597, 0.24847851012449512699},
                             {4, -6.2627053819125958785, 0.16598159197714651912}};
  for (const auto& [resolution_m, d1, d2] : known) {
    const GaussConstants got(0.55, resolution_m);
    EXPECT_NEAR(got.d1, d1, 1e-12 * -d1) << resolution_m << " m";
    EXPECT_NEAR(got.d2, d2, 1e-12 * d2) << resolution_m << " m";
  }
}

/// One voxel of 4 m around (2, 2, 2), and scan points that every probe moves to 0.3 to 1.2 m beside its mean:
/// no point ever leaves the radius, and the second derivatives of the rotation matter.
class OneVoxel : public testing::Test {
 protected:
  static std::vector<Point> map() {
    std::mt19937 random(25);
    std::uniform_real_distribution<float> value(0.2F, 3.8F);
    std::vector<Point> points;
    for (int i = 0; i < 60; ++i) {
      const float a = value(random), b = value(random);
      points.push_back({a, b, 0.5F * a + 0.1F * b + 0.4F * value(random)});
    }
    return points;
  }

  static std::vector<Pose> probes() {
    return {
        {1, -1, 0.5, 0.05, -0.03, 0.4},
        {0, 0, 0, 0.6, -0.8, 2.1},
        {-1, 2, 0, kPi - 0.02, kPi - 0.01, 0.015 - kPi},  // what the reference makes of a small negative roll
        {2, 2, 2, 1.2, kPi / 2, 0.7}};
  }

  /// Points in the scan's frame that the pose moves to where they should be.
  static std::vector<Point> scan_for(const Pose& pose) {
    std::mt19937 random(26);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> distance(0.3, 1.2);
    const Mat3<double> back = transpose(rotation_of(pose));
    std::vector<Point> scan;
    for (int i = 0; i < 40; ++i) {
      Vec3<double> d{normal(random), normal(random), normal(random)};
      d = distance(random) / std::sqrt(dot(d, d)) * d;
      scan.push_back(cast<float>(back * (Vec3<double>{2, 2, 2} + d - Vec3<double>{pose.x, pose.y, pose.z})));
    }
    return scan;
  }

  Sums sums_at(const std::vector<Point>& scan, const Pose& pose) const {
    const Sums sums = sum_derivatives(grid_, constants_, scan, matrix_of(pose), pose, 1);
    EXPECT_EQ(sums.pairs, static_cast<std::int64_t>(scan.size())) << "a neighbour changed at " << pose;
    return sums;
  }

  static Pose moved(Pose p, int i, double by) {
    double* const entries[] = {&p.x, &p.y, &p.z, &p.roll, &p.pitch, &p.yaw};
    *entries[i] += by;
    return p;
  }

  /// Sixth-order central difference of f over entry i.
  template <class F>
  static auto difference(const F& f, const Pose& pose, int i, double h = kStep) {
    using Value = std::invoke_result_t<F, const Pose&>;
    const auto across = [&](int k) -> Value { return f(moved(pose, i, k * h)) - f(moved(pose, i, -k * h)); };
    return Value((45 * across(1) - 9 * across(2) + across(3)) / (60 * h));
  }

  // Points are moved in float32, by steps of 2.4e-7 m at most here. Over a wide step of 0.02 that is 1e-5 of
  // a unit slope, and it averages over 40 points; the truncation of sixth order, 0.02⁶/140 of a seventh
  // derivative, is far below.
  static constexpr double kStep = 0.02;
  static constexpr double kTolerance = 1e-5;  // of the largest entry

  AlignOptions options_ = at_resolution(4);
  VoxelGrid grid_{map(), options_};
  GaussConstants constants_{options_.outlier_ratio, options_.resolution_m};
};

TEST_F(OneVoxel, GradientMatchesCentralDifferencesOfTheScore) {
  ASSERT_EQ(grid_.leaves().size(), 1U);
  for (const Pose& pose : probes()) {
    const std::vector<Point> scan = scan_for(pose);
    const Sums here = sums_at(scan, pose);
    const double scale = here.gradient.cwiseAbs().maxCoeff();
    ASSERT_GT(scale, 1) << "a gradient that proves nothing at " << pose;
    for (int i = 0; i < 6; ++i) {
      const double expected = difference([&](const Pose& p) { return sums_at(scan, p).score; }, pose, i);
      EXPECT_NEAR(here.gradient(i), expected, kTolerance * scale) << "entry " << i << " at " << pose;
    }
  }
}

TEST_F(OneVoxel, HessianMatchesCentralDifferencesOfTheGradient) {
  for (const Pose& pose : probes()) {
    const std::vector<Point> scan = scan_for(pose);
    const Sums here = sums_at(scan, pose);
    const double scale = here.hessian.cwiseAbs().maxCoeff();
    for (int j = 0; j < 6; ++j) {
      const Vector6d expected =
          difference([&](const Pose& p) -> Vector6d { return sums_at(scan, p).gradient; }, pose, j);
      for (int i = 0; i < 6; ++i)
        EXPECT_NEAR(here.hessian(i, j), expected(i), kTolerance * scale)
            << "entry " << i << ", " << j << " at " << pose;
    }
  }
}

TEST_F(OneVoxel, MovedInDoubleTheDerivativesAreThoseOfTheScoreToNineDigits) {
  constexpr double kDigits = 1e-9;  // truncation of sixth order; no rounding of moved points
  for (const Pose& pose : probes()) {
    const std::vector<Point> scan = scan_for(pose);
    const auto at = [&](const Pose& p) { return sum_derivatives(grid_, constants_, scan, p, 1, 1, 1); };
    const Sums here = at(pose);
    for (int i = 0; i < 6; ++i) {
      const double slope = difference([&](const Pose& p) { return at(p).score; }, pose, i, 0.003);
      EXPECT_NEAR(here.gradient(i), slope, kDigits * here.gradient.cwiseAbs().maxCoeff()) << i << " " << pose;
      const Vector6d row =
          difference([&](const Pose& p) -> Vector6d { return at(p).gradient; }, pose, i, 0.003);
      EXPECT_LE((here.hessian.row(i).transpose() - row).cwiseAbs().maxCoeff(),
                kDigits * here.hessian.cwiseAbs().maxCoeff())
          << i << " " << pose;
    }
  }
}

TEST_F(OneVoxel, TheShareOfNegativeCurvatureChangesTheHessianAlone) {
  for (const Pose& pose : probes()) {
    const std::vector<Point> scan = scan_for(pose);
    const auto with = [&](double share) {
      return sum_derivatives(grid_, constants_, scan, pose, share, 1, 1);
    };
    const Sums none = with(0), half = with(0.5), whole = with(1);
    for (const Sums* sums : {&none, &half}) {
      EXPECT_EQ(sums->score, whole.score) << pose;
      EXPECT_EQ(sums->gradient, whole.gradient) << pose;
      EXPECT_EQ(sums->nvtl(), whole.nvtl()) << pose;
    }
    const double scale = whole.hessian.cwiseAbs().maxCoeff();
    EXPECT_LE((half.hessian - (none.hessian + whole.hessian) / 2).cwiseAbs().maxCoeff(), 1e-13 * scale);
    EXPECT_GT((none.hessian - whole.hessian).cwiseAbs().maxCoeff(), 1e-3 * scale) << "shows nothing";
    const Eigen::SelfAdjointEigenSolver<Matrix6d> solver(-none.hessian);
    EXPECT_GE(solver.eigenvalues()(0), -1e-12 * scale) << "least squares are never indefinite; " << pose;
  }
}

TEST_F(OneVoxel, AStrideUsesEveryNthPoint) {
  const Pose pose = probes()[0];
  const std::vector<Point> scan = scan_for(pose);
  std::vector<Point> third;
  for (std::size_t i = 0; i < scan.size(); i += 3) third.push_back(scan[i]);
  const Sums strided = sum_derivatives(grid_, constants_, scan, pose, 1, 3, 1),
             alone = sum_derivatives(grid_, constants_, third, pose, 1, 1, 1);
  EXPECT_EQ(strided.score, alone.score);
  EXPECT_EQ(strided.hessian, alone.hessian);
  EXPECT_EQ(strided.pairs, 14);
}

TEST_F(OneVoxel, HessianIsSymmetric) {
  for (const Pose& pose : probes()) {
    const Sums here = sums_at(scan_for(pose), pose);
    EXPECT_EQ(here.hessian, Matrix6d(here.hessian.transpose())) << pose;
  }
}

TEST_F(OneVoxel, ScoreOfAPointOnTheMeanIsTheLargestPossible) {
  const Eigen::Vector3d mean = grid_.leaves()[0].mean;
  const std::vector<Point> scan = {
      {static_cast<float>(mean(0)), static_cast<float>(mean(1)), static_cast<float>(mean(2))}};
  const Sums sums = sum_derivatives(grid_, constants_, scan, Eigen::Matrix4f::Identity(), {}, 1);
  EXPECT_NEAR(sums.score, -constants_.d1,
              1e-10);  // the mean rounded to float is 1e-7 m off: quadratic in that
  EXPECT_EQ(sums.nvtl(), sums.score);
}

TEST_F(OneVoxel, PointsWithoutAVoxelCountNowhereButInTheirNumber) {
  const Pose pose = probes()[0];
  std::vector<Point> scan = scan_for(pose);
  const Sums alone = sums_at(scan, pose);
  for (int i = 0; i < 300; ++i) scan.push_back({1000, 0, static_cast<float>(i)});
  const Sums with_far = sum_derivatives(grid_, constants_, scan, matrix_of(pose), pose, 1);
  EXPECT_EQ(with_far.score, alone.score);
  EXPECT_EQ(with_far.pairs, alone.pairs);
  EXPECT_EQ(with_far.points_with_voxels, 40);
  EXPECT_EQ(with_far.nvtl(), alone.nvtl());
}

TEST_F(OneVoxel, NoPointsGiveZeroEverything) {
  const Sums none = sum_derivatives(grid_, constants_, {}, Eigen::Matrix4f::Identity(), {}, 2);
  EXPECT_EQ(none.score, 0);
  EXPECT_EQ(none.nvtl(), 0);
  EXPECT_EQ(none.gradient, Vector6d(Vector6d::Zero()));
}

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) {
  return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

TEST(SumDerivatives, GivesTheSameBitsForEveryNumberOfThreads) {
  const AlignOptions options;
  const VoxelGrid grid(harness::courtyard_map().points, options);
  const GaussConstants constants(options.outlier_ratio, options.resolution_m);
  const Pose pose{0.3, -0.2, 0.1, 0.01, 0.02, 0.05};
  for (const int points : {100, 129, 3000}) {  // within a chunk, just beyond one, many
    const std::vector<Point> scan = harness::courtyard_scan(points).points;
    const Sums one = sum_derivatives(grid, constants, scan, matrix_of(pose), pose, 1);
    ASSERT_GT(one.pairs, points / 2);
    for (const int threads : {2, 3, 8})
      for (int repeat = 0; repeat < 3; ++repeat) {
        const Sums many = sum_derivatives(grid, constants, scan, matrix_of(pose), pose, threads);
        EXPECT_EQ(many.score, one.score) << threads << " threads, " << points << " points";
        EXPECT_TRUE(same_bits(many.gradient, one.gradient)) << threads << " threads, " << points << " points";
        EXPECT_TRUE(same_bits(many.hessian, one.hessian)) << threads << " threads, " << points << " points";
        EXPECT_EQ(many.nearest_voxel_score, one.nearest_voxel_score)
            << threads << " threads, " << points << " points";
        EXPECT_EQ(many.pairs, one.pairs);
        EXPECT_EQ(many.points_with_voxels, one.points_with_voxels);
      }
  }
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
