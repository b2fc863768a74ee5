// Pushes along weak directions: the directions, the motions, and what pushes cost in scenes that hold a pose
// and in scenes that do not.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ndt/core/finite_points.hpp"
#include "ndt/edge/conditioning.hpp"
#include "surfaces.hpp"

namespace ndt {
namespace {

SurfaceInformation diagonal(const double (&d)[6]) {
  SurfaceInformation out;
  for (int i = 0, entry = 0; i < 6; entry += 6 - i, ++i) out.entries[entry] = d[i];
  return out;
}

TEST(WeakDirections, AreTheEigenvectorsOfTheSmallestEigenvalues) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, 1);
  for (int trial = 0; trial < 50; ++trial) {
    SurfaceInformation information = diagonal({1, 1, 1e-3, 1, 0.02, 1});
    for (int i = 0; i < 20; ++i) {  // a sum of squares of little weight keeps it positive and couples axes
      double x[6];
      for (double& v : x) v = 0.01 * normal(random);
      for (int row = 0, entry = 0; row < 6; ++row)
        for (int col = row; col < 6; ++col) information.entries[entry++] += x[row] * x[col];
    }
    double a[6][6];
    copy_matrix(information, a);
    const SymmetricEigen<6> eigen = symmetric_eigen(a);
    PushScratch scratch;
    find_weak_directions(SoloCrew{}, information, scratch);
    for (int k = 0; k < kWeakDirections; ++k) {
      double cosine = 0;
      for (int i = 0; i < 6; ++i) cosine += scratch.weak[k][i] * eigen.vectors[k][i];
      EXPECT_NEAR(std::abs(cosine), 1, 1e-3) << "trial " << trial << ", direction " << k;
    }
  }
}

TEST(WeakDirections, AreUnitVectorsAtRightAnglesEvenIfNothingIsKnown) {
  for (const SurfaceInformation& information : {SurfaceInformation{}, diagonal({1, 0, 0, 0, 1, 1})}) {
    PushScratch scratch;
    find_weak_directions(SoloCrew{}, information, scratch);
    EXPECT_NEAR(dot(scratch.weak[0], scratch.weak[0]), 1, 1e-9);
    EXPECT_NEAR(dot(scratch.weak[1], scratch.weak[1]), 1, 1e-9);
    EXPECT_NEAR(dot(scratch.weak[0], scratch.weak[1]), 0, 1e-9);
  }
}

TEST(Pushes, MoveAPointAtTheMeanRangeByTheirLength) {
  const double range_m = 8, push_m = 1.5;
  const SurfacePose at(Pose{1, 2, 3, 0.1, -0.2, 0.7}, per_metre_at(range_m));
  const Vec3<float> x{8, 0, 0};
  const Vec3<double> from = at.rotation * cast<double>(x) + at.translation;
  const auto moved = [&](const Vec6& direction) {
    return cast<double>(move_point(pushed(at, direction, push_m), x)) - from;
  };
  const Vec3<double> shifted = moved({{0, 1, 0, 0, 0, 0}});
  EXPECT_NEAR(shifted.y, push_m, 1e-6);
  EXPECT_NEAR(shifted.x, 0, 1e-6);
  const Vec3<double> turned = moved({{0, 0, 0, 0, 0, 1}});  // about the map's vertical
  const Vec3<double> lever = at.rotation * cast<double>(x);
  const double arm = std::hypot(lever.x, lever.y);
  EXPECT_NEAR(std::sqrt(dot(turned, turned)), 2 * arm * std::sin(push_m / range_m / 2), 1e-5);
  EXPECT_NEAR(turned.z, 0, 1e-6);
}

/// Pushes the truth of a scan on a map with noise of its own.
double sigmas(const std::vector<test_clouds::Patch>& map_patches,
              const std::vector<test_clouds::Patch>& scan_patches, double noise_m, double resolution_m) {
  AlignOptions options;
  options.resolution_m = resolution_m;
  const VoxelMap map(test_clouds::sampled(map_patches, 60000, noise_m, 1), options);
  const PointCloud scan = test_clouds::sampled(scan_patches, 3000, noise_m, 2);
  const ScanView view{scan.points.data(), static_cast<int>(scan.size())};
  const Gauss<double> gauss = make_gauss(options.outlier_ratio, resolution_m);
  const LevelMap level{
      map.view(), {static_cast<float>(gauss.d1), static_cast<float>(gauss.d2)}, map.surfaces().data()};
  const SurfacePose at(Pose{}, per_metre_at(mean_range_m(scan.points)));
  return push_sigmas(level, view, surface_information(level, view, at), at, kPushPerEdge * resolution_m,
                     score_error(CovarianceStart::identity, resolution_m));
}

TEST(Pushes, CostWhereThePoseIsHeldAndNotWhereOnlyNoiseHoldsIt) {
  for (const double noise_m : {0.01, 0.05, 0.1}) {
    EXPECT_GT(sigmas(test_clouds::room(20, 15, 4), test_clouds::room(20, 15, 4), noise_m, 1),
              2 * kLeastPushSigmas)
        << noise_m;
    EXPECT_LT(sigmas(test_clouds::corridor(120, 4, 3), test_clouds::corridor(40, 4, 3), noise_m, 2),
              kLeastPushSigmas)
        << noise_m;
    EXPECT_LT(sigmas(test_clouds::plane(50), test_clouds::plane(24), noise_m, 2), kLeastPushSigmas)
        << noise_m;
  }
}

}  // namespace
}  // namespace ndt
