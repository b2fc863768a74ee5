// The two ways a worker's lanes take points give the same sums, every instruction set gives the same bits,
// and the exponential of several lanes is one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "ndt/core/simd.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/score/point_kernels.hpp"
#include "ndt/solve/newton_loop.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

Float4 exp_of(Float4 x) { return exp_of_lanes<Float4, Int4>(x); }

TEST(WideExp, StaysWithinTwoUlpOfExpForNegativeArguments) {
  double worst = 0;
  for (double x = -86.9; x <= 0; x += 1.7e-3) {
    const float argument = static_cast<float>(x);
    const Float4 got = exp_of(Float4{} + argument);
    const double expected = std::exp(static_cast<double>(argument));
    for (int lane = 0; lane < 4; ++lane)
      worst = std::fmax(worst, std::fabs(static_cast<double>(got[lane]) / expected - 1));
  }
  EXPECT_LT(worst, 2 * 1.2e-7);
}

TEST(WideExp, IsExactAtZeroAndTinyFarOut) {
  const Float4 got = exp_of(Float4{0.0F, -0.0F, -200.0F, -1e30F});
  EXPECT_EQ(got[0], 1.0F);
  EXPECT_EQ(got[1], 1.0F);
  EXPECT_LT(got[2], 2e-38F);
  EXPECT_LT(got[3], 2e-38F);
  EXPECT_GE(got[3], 0.0F);
}

struct Problem {
  VoxelMap map;
  Gauss<float> gauss;
  Motion motion;
  explicit Problem(const PointCloud& cloud = test_clouds::map(), const VoxelMapLimits& limits = {})
      : map(cloud, AlignOptions{}, limits) {
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

TEST(ScanPoints, SideBySideEqualOneByOneUpToRounding) {
  const Problem problem;
  for (const int n : {1, 2, 7, 8, 9, 31, 63, 64, 65, 255, 3000}) {
    const DerivativeSums<double> one = problem.sum<SingleLane>(n), wide = problem.sum<SimdLanes>(n);
    EXPECT_EQ(one.pairs, wide.pairs) << n << " points";
    EXPECT_EQ(one.points, wide.points) << n << " points";
    // Two float exponentials of 1 ulp each and a different order of at most 24 additions.
    EXPECT_NEAR(one.score, wide.score, 1e-6 * one.score) << n << " points";
    EXPECT_NEAR(one.nearest, wide.nearest, 1e-6 * one.nearest) << n << " points";
    const double scale = std::fabs(one.ymy.xx) + std::fabs(one.ymy.yy) + std::fabs(one.ymy.zz);
    EXPECT_NEAR(one.ymy.xy, wide.ymy.xy, 1e-5 * scale) << n << " points";
    EXPECT_NEAR(one.my(1, 2), wide.my(1, 2), 1e-5 * scale) << n << " points";
  }
}

TEST(ScanPoints, ThatLieOutsideTheMapAddNothing) {
  const Problem problem;
  for (const float x : {500.0F, 5e5F, 3e9F, std::numeric_limits<float>::infinity()}) {
    Motion far = problem.motion;
    far.translation = {x, 0, 0};
    for (const PointKernels* kernels : usable_point_kernels()) {
      DerivativeSums<FloatLanes> sums;
      kernels->add(problem.map.view(), problem.gauss, far, test_clouds::scan().points.data(), 5, sums);
      EXPECT_EQ(sums.pairs, 0) << kernels->instructions << ", " << x;
      EXPECT_EQ(folded(sums.score), 0) << kernels->instructions << ", " << x;
    }
  }
}

TEST(ScanPoints, FindVoxelsOutsideTheWindowToo) {
  VoxelMapLimits no_window;
  no_window.window_cells = 0;
  const Problem inside, outside(test_clouds::map(), no_window);
  ASSERT_NE(outside.map.view().outside, nullptr);
  const DerivativeSums<double> a = inside.sum<SimdLanes>(3000), b = outside.sum<SimdLanes>(3000);
  EXPECT_GT(a.pairs, 0);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
}

TEST(ScanPoints, HaveTheLargestScoresThatTheyHaveOneByOne) {
  const Problem problem;
  const VoxelMapView view = problem.map.view();
  const Point* points = test_clouds::scan().points.data();
  for (const PointKernels* kernels : usable_point_kernels())
    for (const int n : {1, 8, 13, kPointsTogether}) {
      float got[kPointsTogether];
      kernels->largest_scores(view, problem.gauss, problem.motion, points, n, got);
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(got[i], nearest_voxel_score(view, problem.gauss, problem.motion, points[i]), 1e-6)
            << kernels->instructions << ", point " << i << " of " << n;
    }
}

/// The bits of everything that kernels give, on maps with and without a window.
std::vector<char> all_bits_of(const PointKernels& kernels) {
  std::vector<char> bits;
  const auto append = [&](const auto& value) {
    const auto* from = reinterpret_cast<const char*>(&value);
    bits.insert(bits.end(), from, from + sizeof value);
  };
  VoxelMapLimits no_window;
  no_window.window_cells = 0;
  for (const VoxelMapLimits& limits : {VoxelMapLimits{}, no_window}) {
    const Problem problem(test_clouds::map(), limits);
    const VoxelMapView view = problem.map.view();
    const std::vector<Point>& points = test_clouds::scan().points;
    for (std::size_t first = 0, n = 1; first + n <= points.size(); first += n, n = n % kPointsTogether + 1) {
      DerivativeSums<FloatLanes> sums;
      const auto count = static_cast<int>(n);
      kernels.add(view, problem.gauss, problem.motion, points.data() + first, count, sums);
      float scores[kPointsTogether] = {};
      kernels.largest_scores(view, problem.gauss, problem.motion, points.data() + first, count, scores);
      DerivativeSums<double> total;
      add_folded(total, sums);
      append(total), append(scores);
    }
  }
  return bits;
}

TEST(ScanPoints, HaveTheSameBitsWithEveryInstructionSet) {
  const auto usable = usable_point_kernels();
  if (usable.size() == 1) GTEST_SKIP() << "this CPU has one instruction set: " << usable[0]->instructions;
  const std::vector<char> expected = all_bits_of(*usable[0]);
  for (const PointKernels* kernels : usable.subspan(1))
    EXPECT_TRUE(all_bits_of(*kernels) == expected) << kernels->instructions;
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
