// Scores of poses on the device against the sums of one worker on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "device_map.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/cuda/device.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

constexpr double kScore = 1e-6;  // other exponential, other order of float sums

class DeviceScoring : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_state().unavailable.empty()) GTEST_SKIP() << cuda_state().unavailable;
    device = std::make_unique<DeviceMaps>();
    const Gauss<double> g = make_gauss(0.55, 2.0);
    gauss = {static_cast<float>(g.d1), static_cast<float>(g.d2)};
  }

  static ScanView scan(int points) { return {test_clouds::scan().points.data(), points}; }

  static std::vector<Motion> motions(int count) {
    std::vector<Motion> out;
    for (const Pose& p : test_clouds::offsets(count, 1.0, 0.1)) {
      const Mat3<float> rotation = cast<float>(rotation_of(p));
      out.push_back({rotation, cast<float>(Vec3<double>{p.x, p.y, p.z}), rotation});
    }
    return out;
  }

  DerivativeSums<double> on_the_host(const VoxelMap& map, int points, const Motion& motion) const {
    SerialTeam team;
    const VoxelMapView view = map.view();
    return team.sum<DerivativeSums>(points, [&](int first, int count, const auto& lanes, auto& part) {
      add_scan_points(view, gauss, motion, scan(points).points + first, count, lanes, part);
    });
  }

  void expect_equal(const PoseScore& got, const DerivativeSums<double>& expected,
                    const std::string& name) const {
    EXPECT_EQ(got.pairs, expected.pairs) << name;
    EXPECT_EQ(got.points, expected.points) << name;
    EXPECT_NEAR(got.score, expected.score, kScore * expected.score) << name;
    EXPECT_NEAR(got.nearest, expected.nearest, kScore * expected.nearest) << name;
  }

  std::unique_ptr<DeviceMaps> device;
  Gauss<float> gauss;
};

bool same_bits(const PoseScore& a, const PoseScore& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

TEST_F(DeviceScoring, EqualsTheHostsSumsForAnyNumberOfPoints) {
  const VoxelMap map(test_clouds::map(), {});
  const std::vector<Motion> some = motions(5);
  for (const int points : {1, 2, 31, 32, 33, 63, 64, 129, 1000, 3000}) {
    const std::vector<PoseScore> got =
        device->score_poses(test_clouds::map(), {}, {}, gauss, scan(points), some);
    ASSERT_EQ(got.size(), some.size());
    for (std::size_t k = 0; k < some.size(); ++k)
      expect_equal(got[k], on_the_host(map, points, some[k]),
                   std::to_string(points) + " points, pose " + std::to_string(k));
  }
}

TEST_F(DeviceScoring, EqualsTheHostsSumsForScansThatFillTheLargestBlocks) {
  PointCloud many;
  for (int i = 0; i < 40; ++i)
    many.points.insert(many.points.end(), test_clouds::scan().points.begin(),
                       test_clouds::scan().points.end());
  const int n = static_cast<int>(many.size()) - 3;
  const VoxelMap map(test_clouds::map(), {});
  const std::vector<Motion> one = motions(1);
  const VoxelMapView view = map.view();
  SerialTeam team;
  const auto expected = team.sum<DerivativeSums>(n, [&](int first, int count, const auto& lanes, auto& part) {
    add_scan_points(view, gauss, one[0], many.points.data() + first, count, lanes, part);
  });
  const std::vector<PoseScore> got =
      device->score_poses(test_clouds::map(), {}, {}, gauss, {many.points.data(), n}, one);
  EXPECT_EQ(got[0].pairs, expected.pairs);
  EXPECT_EQ(got[0].points, expected.points);
  // A thousand points a chunk, which the host adds one after the other in float.
  EXPECT_NEAR(got[0].score, expected.score, 5e-6 * expected.score);
  EXPECT_NEAR(got[0].nearest, expected.nearest, 5e-6 * expected.nearest);
}

TEST_F(DeviceScoring, EqualsTheHostsSumsUnderEveryNeighbourPolicyAndThroughTheHash) {
  for (const Neighbours policy : all_values<Neighbours>())
    for (const std::uint64_t cells : {kWindowCells, std::uint64_t{2000}}) {
      AlignOptions options;
      options.neighbours = policy;
      const VoxelMap map(test_clouds::map(), options);
      const std::vector<Motion> some = motions(2);
      const std::vector<PoseScore> got =
          device->score_poses(test_clouds::map(), options, {.window_cells = cells}, gauss, scan(3000), some);
      for (std::size_t k = 0; k < some.size(); ++k)
        expect_equal(got[k], on_the_host(map, 3000, some[k]), std::string(to_string(policy)));
    }
}

TEST_F(DeviceScoring, DoesNotDependOnThePlaceInABatchNorOnTheOtherPoses) {
  const std::vector<Motion> batch = motions(1001);
  std::vector<Motion> reversed(batch.rbegin(), batch.rend());
  for (const int points : {5, 1000, 3000}) {
    const auto scores = [&](const std::vector<Motion>& some) {
      return device->score_poses(test_clouds::map(), {}, {}, gauss, scan(points), some);
    };
    const std::vector<PoseScore> got = scores(batch), backwards = scores(reversed);
    for (std::size_t k = 0; k < batch.size(); ++k)
      ASSERT_TRUE(same_bits(got[k], backwards[batch.size() - 1 - k])) << points << " points, pose " << k;
    for (const std::size_t k : {0U, 1U, 3U, 4U, 500U, 1000U})
      EXPECT_TRUE(same_bits(got[k], scores({batch[k]})[0])) << points << " points, pose " << k << " alone";
  }
}

TEST_F(DeviceScoring, OfAScanWithoutPointsOrWithoutOverlapIsZero) {
  std::vector<Motion> some = motions(3);
  for (const PoseScore& s : device->score_poses(test_clouds::map(), {}, {}, gauss, scan(0), some))
    EXPECT_TRUE(same_bits(s, {}));
  for (Motion& m : some) m.translation.x = 5e5F;
  for (const PoseScore& s : device->score_poses(test_clouds::map(), {}, {}, gauss, scan(1000), some)) {
    EXPECT_EQ(s.score, 0);
    EXPECT_EQ(s.pairs, 0);
    EXPECT_EQ(s.points, 0);
  }
  EXPECT_TRUE(device->score_poses(test_clouds::map(), {}, {}, gauss, scan(10), {}).empty());
}

TEST_F(DeviceScoring, TakesTheLargestBatchAndRefusesALargerOne) {
  std::vector<Motion> batch(Limits::kBatch, motions(1)[0]);
  const std::vector<PoseScore> got = device->score_poses(test_clouds::map(), {}, {}, gauss, scan(40), batch);
  EXPECT_GT(got.front().score, 0);
  EXPECT_TRUE(same_bits(got.front(), got.back()));
  batch.push_back(batch[0]);
  EXPECT_THROW(device->score_poses(test_clouds::map(), {}, {}, gauss, scan(40), batch),
               std::invalid_argument);
}

TEST_F(DeviceScoring, OfEveryPointEqualsTheHosts) {
  const VoxelMap map(test_clouds::map(), {});
  const Motion motion = motions(1)[0];
  const std::vector<float> got = device->score_points(test_clouds::map(), {}, gauss, scan(3000), motion);
  ASSERT_EQ(got.size(), 3000U);
  int without = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float expected = nearest_voxel_score(map.view(), gauss, motion, test_clouds::scan().points[i]);
    EXPECT_NEAR(got[i], expected, 1e-6F - 1e-6F * gauss.d1) << "point " << i;
    without += expected == 0 ? 1 : 0;
  }
  EXPECT_LT(without, 3000);
  EXPECT_TRUE(device->score_points(test_clouds::map(), {}, gauss, scan(0), motion).empty());
}

}  // namespace
}  // namespace ndt
