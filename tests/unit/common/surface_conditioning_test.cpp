// Tests the conditioning by normals of matched voxels, on scenes whose free directions are known.
#include <gtest/gtest.h>

#include <cmath>

#include "ndt/core/finite_points.hpp"
#include "ndt/edge/conditioning.hpp"
#include "surfaces.hpp"

namespace ndt {
namespace {

constexpr int kPoints = 20000;

VoxelMap map_of(const PointCloud& cloud, CovarianceStart start = CovarianceStart::identity) {
  AlignOptions options;
  options.resolution_m = 1;
  options.covariance_start = start;
  return {cloud, options};
}

/// The cloud on its own map, at `pose`.
SurfaceConditioning of(const PointCloud& cloud, const Pose& pose = {}) {
  return surface_conditioning(
      surface_information(map_of(cloud), {cloud.points.data(), static_cast<int>(cloud.size())}, pose,
                          mean_range_m(cloud.points)),
      pose);
}

double along(const SurfaceConditioning& c, int axis) { return std::abs(c.weak_direction[axis]); }

TEST(SurfaceConditioning, PlanesAndLinesAreFarBeyondTheBoundAndRoomsFarBelow) {
  for (const double tilt : {0.0, 0.1, 0.9}) {
    EXPECT_GT(of(test_clouds::sampled(test_clouds::plane(20, tilt), kPoints, 0, 1)).condition_number, 1e9)
        << tilt;
    EXPECT_GT(of(test_clouds::sampled(test_clouds::plane(20, tilt), kPoints, 0.001, 1)).condition_number,
              100 * kMaxSurfaceConditionNumber)
        << tilt;
  }
  EXPECT_TRUE(std::isinf(of(test_clouds::sampled(test_clouds::line(20), kPoints, 0, 1)).condition_number));
  EXPECT_LT(of(test_clouds::sampled(test_clouds::room(20, 15, 4), kPoints, 0.02, 1)).condition_number, 20);
}

TEST(SurfaceConditioning, WithoutAMatchedVoxelNothingIsFixed) {
  const PointCloud cloud = test_clouds::sampled(test_clouds::room(20, 15, 4), kPoints, 0.02, 1);
  EXPECT_TRUE(std::isinf(of(cloud, {500, 0, 0, 0, 0, 0}).condition_number));
  EXPECT_TRUE(
      std::isinf(surface_conditioning(surface_information(map_of(cloud), {}, {}, 0), {}).condition_number));
}

TEST(SurfaceConditioning, TheWeakDirectionOfACorridorIsAlongIt) {
  const SurfaceConditioning c = of(test_clouds::sampled(test_clouds::corridor(60, 15, 4), kPoints, 0, 1));
  EXPECT_GT(along(c, 0), 0.99);
}

TEST(SurfaceConditioning, TurnsAreGivenAsRatesOfRollPitchAndYaw) {
  // A round wall about the map's vertical leaves turns about it free. With R = Rx(0.8) Ry(0.5) Rz(0.3) such a
  // turn is not yaw alone: ω = ex roll' + Rx ey pitch' + Rx Ry ez yaw' = ez.
  const Pose pose{0, 0, 0, 0.8, 0.5, 0.3};
  const Mat3<double> back = transpose(rotation_of(pose));
  std::vector<test_clouds::Patch> wall = test_clouds::plane(6);
  for (int i = 0; i < 360; ++i) {
    const double a = i * kPi / 180, b = (i + 1) * kPi / 180;
    const Vec3<double> from{8 * std::cos(a), 8 * std::sin(a), 0}, to{8 * std::cos(b), 8 * std::sin(b), 0};
    wall.push_back({from, to - from, {0, 0, 5}});
  }
  const PointCloud map = test_clouds::sampled(wall, kPoints, 0, 1);
  PointCloud scan;
  for (const Point& p : map.points) scan.points.push_back(cast<float>(back * cast<double>(p)));
  const SurfaceConditioning c = surface_conditioning(
      surface_information(map_of(map), {scan.points.data(), static_cast<int>(scan.size())}, pose,
                          mean_range_m(scan.points)),
      pose);
  const double yaw = std::cos(0.8) / std::cos(0.5), pitch = std::sin(0.8), roll = -std::sin(0.5) * yaw;
  const double length = std::sqrt(roll * roll + pitch * pitch + yaw * yaw),
               sign = c.weak_direction[5] < 0 ? -1 : 1;
  const double expected[6] = {0, 0, 0, roll / length, pitch / length, yaw / length};
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(sign * c.weak_direction[i], expected[i], 0.02) << "coordinate " << i;
}

TEST(SurfaceConditioning, TheNormalsDoNotDependOnTheCovariancesStart) {
  const PointCloud cloud = test_clouds::sampled(test_clouds::room(20, 15, 4), kPoints, 0.02, 1);
  const auto identity = map_of(cloud, CovarianceStart::identity), zero = map_of(cloud, CovarianceStart::zero);
  ASSERT_EQ(identity.surfaces().size(), zero.surfaces().size());
  for (std::size_t v = 0; v < zero.surfaces().size(); ++v) {
    const VoxelSurface &a = identity.surfaces()[v], &b = zero.surfaces()[v];
    EXPECT_NEAR(a.flatness, b.flatness, 1e-5) << v;
    EXPECT_NEAR(std::abs(dot(a.normal, b.normal)), 1, 1e-5) << v;
  }
}

TEST(SurfaceConditioning, OfAVoxelIsItsNormalAndNothingForALineOrABall) {
  SymmetricEigen<3> eigen = eigen_of({4, 0, 0, 0.5, 0, 2});
  EXPECT_NEAR(std::abs(surface_of(eigen, 0).normal.y), 1, 1e-6);
  EXPECT_NEAR(surface_of(eigen, 0).flatness, 0.75, 1e-6);
  EXPECT_NEAR(surface_of(eigen, 0.5).flatness, 1, 1e-6) << "what the diagonal started from is taken off";
  EXPECT_EQ(surface_of(eigen_of({4, 0, 0, 1e-12, 0, 1e-12}), 0).flatness, 0) << "a line";
  EXPECT_EQ(surface_of(eigen_of({2, 0, 0, 2, 0, 2}), 0).flatness, 0) << "a ball";
  EXPECT_EQ(surface_of(eigen_of({0.2, 0, 0, 0.2, 0, 0.2}), 0.2).flatness, 0) << "one point repeated";
}

}  // namespace
}  // namespace ndt
