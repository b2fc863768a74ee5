// The contract of an aligner off the beaten track; what is plainly wrong is in misuse_test.cpp.
#include <gmock/gmock.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "every_implementation.hpp"

namespace ndt {
namespace {

const Transform kGuess = to_transform({0.2, -0.1, 0.05, 0.01, -0.01, 0.03});

class Robustness : public EveryImplementation {};

TEST_P(Robustness, AGuessAnyDistanceOutsideTheMapHasNoOverlap) {
  for (const double metres : {200.0, 1e7, 1e12}) {
    const Transform far = to_transform({metres, 0, 0, 0, 0, 0.3});
    const AlignResult got = in_courtyard()->align(test_clouds::scan(), far);
    EXPECT_EQ(got.stop, Stop::no_overlap) << metres << " m";
    EXPECT_EQ(got.iterations, 0) << metres << " m";
    EXPECT_TRUE(same_bits(got.map_from_scan, far)) << metres << " m";
  }
}

TEST_P(Robustness, SoFarOutsideThatCellsHaveNoNumbersThereIsNoOverlapWithAnyNeighbours) {
  if (peer()) GTEST_SKIP() << "a peer has its own search for voxels";
  for (const Neighbours neighbours : all_values<Neighbours>())
    for (const double metres : {1e20, -1e20}) {
      AlignOptions with;
      with.neighbours = neighbours;
      const Transform far = to_transform({metres, 0, metres, 0, 0, 0});
      EXPECT_EQ(in_courtyard(with)->align(test_clouds::scan(), far).stop, Stop::no_overlap)
          << to_string(neighbours) << ", " << metres << " m";
    }
}

/// Drivers write such numbers where nothing was returned.
TEST_P(Robustness, APointThatNoSensorMeasuresChangesNothing) {
  const auto aligner = in_courtyard();
  const PointCloud& clean = test_clouds::scan();
  const AlignResult expected = aligner->align(clean, kGuess);
  ASSERT_EQ(expected.stop, Stop::converged);
  for (const float metres : {1e5F, 1e19F, std::numeric_limits<float>::max()}) {
    PointCloud scan = clean;
    scan.points.insert(scan.points.begin() + 100, {metres, metres, metres});
    scan.points.push_back({0, -metres, 0});
    const AlignResult got = aligner->align(scan, kGuess);
    EXPECT_EQ(got.dropped_points, 2) << metres << " m";
    EXPECT_EQ(got.stop, expected.stop) << metres << " m";
    EXPECT_TRUE(same_bits(got.map_from_scan, expected.map_from_scan)) << metres << " m";
    EXPECT_EQ(got.conditioning.condition_number, expected.conditioning.condition_number) << metres << " m";
    EXPECT_EQ(aligner->evaluate(scan, kGuess).dropped_points, 2) << metres << " m";
  }
}

TEST_P(Robustness, ASecondMapReplacesTheFirstEntirely) {
  const auto aligner = make();
  PointCloud elsewhere = test_clouds::map();
  for (Point& p : elsewhere.points) p.x += 500;
  aligner->set_map(elsewhere);
  EXPECT_EQ(aligner->align(test_clouds::scan(), kGuess).stop, Stop::no_overlap);
  aligner->set_map(test_clouds::map());
  EXPECT_TRUE(same_bits(aligner->align(test_clouds::scan(), kGuess).map_from_scan,
                        in_courtyard()->align(test_clouds::scan(), kGuess).map_from_scan));
}

TEST_P(Robustness, ASecondThreadsCallIsRefusedAndTheFirstsIsUntouched) {
  const auto aligner = in_courtyard();
  const AlignResult expected = aligner->align(test_clouds::scan(), kGuess);
  std::atomic<int> refused = 0, wrong = 0, ready = 0;
  const auto align_again = [&] {
    ++ready;
    while (ready < 2) std::this_thread::yield();
    for (int k = 0; k < 2000 && refused < 10; ++k) try {
        wrong +=
            !same_bits(aligner->align(test_clouds::scan(), kGuess).map_from_scan, expected.map_from_scan);
      } catch (const std::logic_error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("busy with another thread's call"));
        ++refused;
      }
  };
  std::jthread other(align_again);
  align_again();
  other.join();
  EXPECT_GE(refused, 10);
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(same_bits(aligner->align(test_clouds::scan(), kGuess).map_from_scan, expected.map_from_scan));
}

TEST_P(Robustness, TheVoxelTableIsOrderedAndComplete) {
  const auto aligner = make();
  const MapInfo info = aligner->set_map(test_clouds::map());
  const std::vector<VoxelInfo> table = aligner->voxels();
  ASSERT_EQ(static_cast<std::int64_t>(table.size()), info.voxels);
  for (std::size_t i = 1; i < table.size(); ++i) {
    const auto& a = table[i - 1].key;
    const auto& b = table[i].key;
    EXPECT_TRUE(std::tie(a[2], a[1], a[0]) < std::tie(b[2], b[1], b[0])) << "row " << i;
    EXPECT_GE(table[i].points, 6);
  }
}

NDT_ON_EVERY_IMPLEMENTATION(Robustness);

}  // namespace
}  // namespace ndt
