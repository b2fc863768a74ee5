// The shared core on the device against itself on the host: same source, other compiler, other exponential,
// fused products.
#include <gtest/gtest.h>

#include <cmath>

#include "ndt/exec/team.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "one_thread_align.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

struct Courtyard {
  VoxelMap map{test_clouds::map(), AlignOptions{}};
  gpu_persistent::AlignInput input;
  Courtyard() {
    const Gauss<double> g = make_gauss(0.55, 2.0);
    input.scan = {test_clouds::scan().points.data(), 1000};
    input.levels[0].view = map.view();
    input.levels[0].gauss = {static_cast<float>(g.d1), static_cast<float>(g.d2)};
  }
};

TEST(SharedCoreOnTheDevice, AlignsLikeTheHost) {
  if (const std::string reason = no_device_reason(); !reason.empty()) GTEST_SKIP() << reason;
  const Courtyard courtyard;
  for (const Pose& offset : test_clouds::offsets(3, 0.3, 0.04)) {
    const LoopState start = begin_loop(to_transform(offset));
    LoopState host_state = start;
    SerialTeam team;
    gpu_persistent::persistent_align<ClampedSteps>(team, courtyard.input, gpu_persistent::NoWatch{},
                                                   host_state, nullptr);
    const LoopState& host = host_state;
    const LoopState device = align_on_one_gpu_thread(courtyard.input, start);
    EXPECT_EQ(device.status, host.status);
    EXPECT_EQ(device.iterations, host.iterations);
    EXPECT_EQ(device.guess.at.pairs, host.guess.at.pairs)
        << "points are moved and compared with the same roundings";
    EXPECT_NEAR(device.guess.at.score, host.guess.at.score, 1e-6 * host.guess.at.score);
    EXPECT_NEAR(device.here.pose.x, host.here.pose.x, 1e-4);
    EXPECT_NEAR(device.here.pose.y, host.here.pose.y, 1e-4);
    EXPECT_NEAR(device.here.pose.z, host.here.pose.z, 1e-4);
    EXPECT_NEAR(device.here.pose.yaw, host.here.pose.yaw, 1e-5);
  }
}

TEST(SharedCoreOnTheDevice, GivesTheSameBitsAgain) {
  if (const std::string reason = no_device_reason(); !reason.empty()) GTEST_SKIP() << reason;
  const Courtyard courtyard;
  const LoopState start = begin_loop(to_transform({0.2, 0.1, 0, 0, 0, 0.03}));
  const LoopState first = align_on_one_gpu_thread(courtyard.input, start);
  const LoopState second = align_on_one_gpu_thread(courtyard.input, start);
  EXPECT_EQ(first.here.pose.x, second.here.pose.x);
  EXPECT_EQ(first.here.at.score, second.here.at.score);
}

}  // namespace
}  // namespace ndt
