// Hessians with a share of the negative curvature: the shared core's, the twin's, and finite differences.
#include <gtest/gtest.h>

#include "ndt/exec/team.hpp"
#include "ndt/score/derivatives.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/solve/loop_state.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "pyramid.hpp"
#include "test_clouds.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

AlignOptions zero_start() { return AlignOptions::pyramid(); }

/// Poses around the truth, no angle of which counts as zero.
std::vector<Pose> poses() { return test_clouds::offsets(4, 0.5, 0.05); }

const std::vector<Point>& scan() {
  static const std::vector<Point> points(test_clouds::scan().points.begin(),
                                         test_clouds::scan().points.begin() + 600);
  return points;
}

const Level& twin_level() {
  static const Level level(test_clouds::map().points, zero_start(), 2.0);
  return level;
}

Sums twin_sums(const Pose& pose, double share) {
  return sum_derivatives(twin_level().grid, twin_level().constants, scan(), pose, share, 1, 1);
}

Derivatives core_derivatives(const Pose& pose, double share) {
  static const VoxelMap map(test_clouds::map(), zero_start());
  const Gauss<double> g = make_gauss(0.55, 2.0);
  const Gauss<float> gauss = with_curvature({static_cast<float>(g.d1), static_cast<float>(g.d2)}, share);
  const PoseMotion at(pose);
  return derivatives_of(
      SerialTeam().sum<DerivativeSums>(static_cast<int>(scan().size()),
                                       [&](int first, int count, const auto& lanes, auto& part) {
                                         add_scan_points(map.view(), gauss, at.motion, scan().data() + first,
                                                         count, lanes, part);
                                       }),
      at.angles, share);
}

Matrix6d eigen(const Mat6& m) {
  Matrix6d out;
  for (int i = 0; i < 36; ++i) out(i / 6, i % 6) = m.m[i];
  return out;
}

TEST(CurvatureShare, CoreAndTwinHaveTheSameHessians) {
  for (const Pose& pose : poses())
    for (const double share : {0.0, 0.3, 0.5, 1.0}) {
      const Matrix6d core = eigen(core_derivatives(pose, share).hessian),
                     twin = twin_sums(pose, share).hessian;
      EXPECT_LE((core - twin).cwiseAbs().maxCoeff(), 1e-4 * twin.cwiseAbs().maxCoeff()) << share;
    }
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
