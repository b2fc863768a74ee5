// The two ways a worker's lanes take points give the same sums, and the four-wide exponential is one.
#include <gtest/gtest.h>

#include <cmath>

#include "ndt/exec/team.hpp"
#include "ndt/score/scan_points_simd.hpp"
#include "ndt/solve/newton_loop.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

TEST(FourWideExp, StaysWithinTwoUlpOfExpForNegativeArguments) {
  double worst = 0;
  for (double x = -86.9; x <= 0; x += 1.7e-3) {
    const float argument = static_cast<float>(x);
    const Float4 got = exp_of(broadcast<Float4>(argument));
    const double expected = std::exp(static_cast<double>(argument));
    for (int lane = 0; lane < 4; ++lane)
      worst = std::fmax(worst, std::fabs(static_cast<double>(got[lane]) / expected - 1));
  }
  EXPECT_LT(worst, 2 * 1.2e-7);
}

TEST(FourWideExp, IsExactAtZeroAndTinyFarOut) {
  const Float4 got = exp_of(Float4{0.0F, -0.0F, -200.0F, -1e30F});
  EXPECT_EQ(got[0], 1.0F);
  EXPECT_EQ(got[1], 1.0F);
  EXPECT_LT(got[2], 2e-38F);
  EXPECT_LT(got[3], 2e-38F);
  EXPECT_GE(got[3], 0.0F);
}

struct Problem {
  VoxelMap map{test_clouds::map(), AlignOptions{}};
  Gauss<float> gauss;
  Motion motion;
  Problem() {
    const Gauss<double> g = make_gauss(0.55, 2.0);
    gauss = {static_cast<float>(g.d1), static_cast<float>(g.d2)};
    motion = loop_start(to_transform({0.2, -0.1, 0.05, 0.01, -0.02, 0.03})).at.motion;
  }
  template <class Lanes>
  DerivativeSums<double> sum(int n) const {
    BasicSerialTeam<Lanes> team;
    const VoxelMapView view = map.view();
    return team.template sum<DerivativeSums>(n, [&](int first, int count, const auto& lanes, auto& part) {
      add_scan_points(view, gauss, motion, test_clouds::scan().points.data() + first, count, lanes, part);
    });
  }
};

TEST(ScanPoints, FourSideBySideEqualOneByOneUpToRounding) {
  const Problem problem;
  for (const int n : {1, 2, 3, 4, 5, 31, 32, 33, 255, 3000}) {
    const DerivativeSums<double> one = problem.sum<SingleLane>(n), four = problem.sum<SimdLanes>(n);
    EXPECT_EQ(one.pairs, four.pairs) << n << " points";
    EXPECT_EQ(one.points, four.points) << n << " points";
    // Two float exponentials of 1 ulp each and a different order of at most 24 additions.
    EXPECT_NEAR(one.score, four.score, 1e-6 * one.score) << n << " points";
    EXPECT_NEAR(one.nearest, four.nearest, 1e-6 * one.nearest) << n << " points";
    const double scale = std::fabs(one.ymy.xx) + std::fabs(one.ymy.yy) + std::fabs(one.ymy.zz);
    EXPECT_NEAR(one.ymy.xy, four.ymy.xy, 1e-5 * scale) << n << " points";
    EXPECT_NEAR(one.my(1, 2), four.my(1, 2), 1e-5 * scale) << n << " points";
  }
}

TEST(ScanPoints, ThatLieOutsideTheMapAddNothing) {
  const Problem problem;
  Motion far = problem.motion;
  far.translation = {5e5F, 0, 0};
  DerivativeSums<Float4> sums;
  add_scan_points(problem.map.view(), problem.gauss, far, test_clouds::scan().points.data(), 4, SimdLanes{},
                  sums);
  EXPECT_EQ(sums.pairs, 0);
  EXPECT_EQ(folded(sums.score), 0);
}

TEST(ScanPoints, NvtlNeverExceedsTheLargestPairScore) {
  const Problem problem;
  const DerivativeSums<double> sums = problem.sum<SimdLanes>(3000);
  EXPECT_GT(sums.nearest, 0);
  EXPECT_LE(sums.nearest / static_cast<double>(sums.points), -static_cast<double>(problem.gauss.d1));
  EXPECT_LE(sums.nearest, sums.score);
}

}  // namespace
}  // namespace ndt
