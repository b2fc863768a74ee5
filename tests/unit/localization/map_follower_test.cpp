// A map that is built on one thread while another aligns: nothing but whole maps is seen, and a failure
// changes nothing. Clean under ThreadSanitizer.
#include "ndt/localization/map_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>

#include "knowing.hpp"
#include "ndt/core/error.hpp"
#include "registry/registry.hpp"
#include "test_clouds.hpp"

namespace ndt::localization {
namespace {

using testing::HasSubstr;

constexpr MapCircle kFirst{{0, 0}, 150};

/// The middle of the courtyard, moved to one of two places.
PointCloud map_at(int place) {
  PointCloud map;
  for (const Point& p : test_clouds::map().points)
    if (std::abs(p.x) < 8 && std::abs(p.y) < 8)
      map.points.push_back({p.x + 0.125F * static_cast<float>(place), p.y, p.z});
  return map;
}

std::unique_ptr<Aligner> small_aligner() {
  AlignOptions options;
  options.threads = 1;
  options.max_iterations = 2;
  return harness::find_implementation("persistent_cpu").make(options);
}

PointCloud small_scan() {
  PointCloud scan;
  for (const Point& p : test_clouds::scan().points)
    if (std::abs(p.x) < 6 && std::abs(p.y) < 6) scan.points.push_back(p);
  return scan;
}

bool same(const AlignResult& a, const AlignResult& b) {
  return std::memcmp(&a.map_from_scan, &b.map_from_scan, sizeof a.map_from_scan) == 0 && a.score == b.score &&
         a.nvtl == b.nvtl && a.iterations == b.iterations;
}

TEST(MapFollower, AThousandSwapsUnderAlignmentShowWholeMapsOnly) {
  const std::array maps{map_at(0), map_at(1)};
  const PointCloud scan = small_scan();
  const std::unique_ptr<Aligner> first = small_aligner(), second = small_aligner();
  std::array<AlignResult, 2> expected;
  for (std::size_t k : {1, 0}) {
    first->set_map(maps[k]);
    expected[k] = first->align(scan, {});
  }
  ASSERT_FALSE(same(expected[0], expected[1])) << "or this shows nothing";
  std::size_t next = 1;
  MapFollower follower(*first, *second, MapUpdatePolicy({}, kFirst), [&](Aligner& spare, const MapCircle&) {
    spare.set_map(maps[next]);
    return true;
  });
  for (int swap = 0; swap < 1000; ++swap) {
    follower.begin({20.0 * swap, 0});
    ASSERT_TRUE(same(follower.live().align(scan, {}), expected[1 - next])) << "beside swap " << swap;
    EXPECT_TRUE(follower.take().swapped);
    ASSERT_TRUE(same(follower.live().align(scan, {}), expected[next])) << "after swap " << swap;
    next = 1 - next;
  }
  EXPECT_EQ(follower.policy().in_force().centre.x, 20.0 * 999);
}

/// Aligners that know nothing of maps.
class AFollower : public testing::Test {
 protected:
  using Does = std::function<bool()>;
  MapFollower follower(Does build) {
    return {first_, second_, MapUpdatePolicy({}, kFirst),
            [build = std::move(build)](Aligner&, const MapCircle&) { return build(); }};
  }
  Knowing first_, second_;
};

TEST_F(AFollower, KeepsItsMapWhenABuildFails) {
  int tries = 0;
  MapFollower following = follower([&]() -> bool {
    if (++tries == 1) throw InputError("tile_0_0.pcd: it is cut off");
    if (tries == 2) throw std::bad_alloc();
    return true;
  });
  following.begin({30, 0});
  MapOutcome outcome = following.take();
  EXPECT_FALSE(outcome.swapped);
  EXPECT_EQ(outcome.failure.value_or(""), "tile_0_0.pcd: it is cut off");
  EXPECT_EQ(outcome.around.centre.x, 30);
  EXPECT_EQ(&following.live(), &first_);
  EXPECT_EQ(following.policy().in_force().centre.x, 0);
  EXPECT_FALSE(following.policy().due({49, 0}));
  following.begin({50, 0});
  EXPECT_THAT(following.take().failure.value_or(""), HasSubstr("not enough memory for a second map"));
  EXPECT_EQ(&following.live(), &first_);
  following.begin({70, 0});
  EXPECT_TRUE(following.take().swapped);
  EXPECT_EQ(&following.live(), &second_);
  EXPECT_EQ(following.policy().in_force().centre.x, 70);
}

TEST_F(AFollower, KeepsAnAlignerWhoseMapStaysTheSame) {
  MapFollower following = follower([] { return false; });
  following.begin({30, 0});
  const MapOutcome outcome = following.take();
  EXPECT_FALSE(outcome.swapped || outcome.failure);
  EXPECT_EQ(&following.live(), &first_);
  EXPECT_EQ(following.policy().in_force().centre.x, 30) << "it is that of the new place, too";
}

TEST_F(AFollower, BuildsOneMapAtATime) {
  MapFollower following = follower([] { return true; });
  EXPECT_FALSE(following.ready());
  EXPECT_THROW(following.take(), std::logic_error);
  following.begin({});
  EXPECT_THROW(following.begin({}), std::logic_error);
  following.wait();
  EXPECT_TRUE(following.ready());
  following.take();
  EXPECT_FALSE(following.building());
  EXPECT_THROW(MapFollower(first_, first_, MapUpdatePolicy({}, kFirst), [](auto&, auto&) { return true; }),
               std::invalid_argument);
  EXPECT_THROW(MapFollower(first_, second_, MapUpdatePolicy({}, kFirst), {}), std::invalid_argument);
}

TEST_F(AFollower, WaitsForABuildBeforeItGoes) {
  bool done = false;
  {
    MapFollower following = follower([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return done = true;
    });
    following.begin({});
  }
  EXPECT_TRUE(done);
}

TEST_F(AFollower, LetsALocalizerContinueWithWhatItHasLearned) {
  Localizer localizer(first_, options());
  localizer.start_at(along(0));
  for (int frame = 0; frame < 6; ++frame) {
    if (frame == 3) localizer.continue_with(second_);
    first_.truth = second_.truth = along(frame);
    const ScanReport report = localizer.localize(0.1 * frame, kScan);
    EXPECT_EQ(to_string(report.verdict), "ok");
    EXPECT_NEAR(report.moved_m, frame == 1 ? 1.5 : 0, 1e-12) << "the velocity is not forgotten";
  }
  EXPECT_EQ(first_.alignments, 3);
  EXPECT_EQ(second_.alignments, 3);
}

}  // namespace
}  // namespace ndt::localization
