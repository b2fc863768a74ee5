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
#include "ndt/localization/aligner_per_map.hpp"
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

/// Builds one of two maps, and tells what alignments with each give.
class TwoMaps : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      resident_ = small_aligner()->resident_map();
      aligner_ = small_aligner();
    } else {
      auto per_map = std::make_unique<AlignerPerMap>(small_aligner);
      per_map_ = per_map.get();
      aligner_ = std::move(per_map);
    }
  }
  std::shared_ptr<const ReadyMap> map_of(std::size_t place) {
    if (per_map_) return per_map_->build(maps_[place]);
    for (const TileId held : resident_->ids()) resident_->remove(held);
    resident_->add(0, std::make_shared<const std::vector<Point>>(maps_[place].points));
    return resident_->build();
  }

  const std::array<PointCloud, 2> maps_{map_at(0), map_at(1)};
  std::unique_ptr<ResidentMap> resident_;
  std::unique_ptr<Aligner> aligner_;
  AlignerPerMap* per_map_ = nullptr;
};

TEST_P(TwoMaps, AThousandSwapsUnderAlignmentShowWholeMapsOnly) {
  const PointCloud scan = small_scan();
  const std::unique_ptr<Aligner> other = small_aligner();
  std::array<AlignResult, 2> expected;
  for (std::size_t k : {0, 1}) {
    other->set_map(maps_[k]);
    expected[k] = other->align(scan, {});
  }
  ASSERT_FALSE(same(expected[0], expected[1])) << "or this shows nothing";
  aligner_->exchange_map(map_of(0));
  std::size_t next = 1;
  MapFollower follower(*aligner_, MapUpdatePolicy({}, kFirst),
                       [&](const MapCircle&) { return map_of(next); });
  for (int swap = 0; swap < 1000; ++swap) {
    follower.begin({20.0 * swap, 0});
    ASSERT_TRUE(same(aligner_->align(scan, {}), expected[1 - next])) << "beside swap " << swap;
    EXPECT_TRUE(follower.take().swapped);
    ASSERT_TRUE(same(aligner_->align(scan, {}), expected[next])) << "after swap " << swap;
    next = 1 - next;
  }
  EXPECT_EQ(follower.policy().in_force().centre.x, 20.0 * 999);
}

INSTANTIATE_TEST_SUITE_P(MapFollower, TwoMaps, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "OfTiles" : "OfAligners"; });

TEST(AlignerPerMap, RefusesMapsOfOthersAndUsesAnAlignerAgain) {
  int made = 0;
  const auto make = [&] {
    ++made;
    return small_aligner();
  };
  AlignerPerMap aligner(make), other(make);
  EXPECT_THROW(aligner.align(small_scan(), {}, {}), std::logic_error) << "without a map";
  EXPECT_NO_THROW(aligner.expect_scan()) << "without a map";
  EXPECT_THROW(aligner.exchange_map(nullptr), std::invalid_argument);
  EXPECT_THROW(aligner.exchange_map(other.build(map_at(0))), std::invalid_argument);
  EXPECT_GT(aligner.set_map(map_at(0)).voxels, 0);
  EXPECT_THROW(aligner.set_map(PointCloud{}), InputError);
  EXPECT_FALSE(aligner.voxels().empty()) << "the map before stays";
  aligner.hold(small_scan(), 1);
  const double of_held = aligner.evaluate(HeldScan{}, {}, {}).score;
  EXPECT_EQ(of_held, aligner.evaluate(small_scan(), {}, {}).score);
  made = 0;
  for (int map = 0; map < 5; ++map) aligner.exchange_map(aligner.build(map_at(map % 2)));
  EXPECT_LE(made, 1) << "two take turns";
}

/// An aligner that takes any map, and knows nothing of it.
struct Taking : Knowing {
  std::shared_ptr<const ReadyMap> map;
  std::shared_ptr<const ReadyMap> exchange_map(std::shared_ptr<const ReadyMap> next) override {
    return std::exchange(map, std::move(next));
  }
};
struct SomeMap : ReadyMap {
  MapInfo facts;
  const MapInfo& info() const override { return facts; }
};

class AFollower : public testing::Test {
 protected:
  AFollower() { aligner_.map = first_; }
  using Does = std::function<std::shared_ptr<const ReadyMap>()>;
  MapFollower follower(Does build) {
    return {aligner_, MapUpdatePolicy({}, kFirst),
            [build = std::move(build)](const MapCircle&) { return build(); }};
  }
  const std::shared_ptr<const ReadyMap> first_ = std::make_shared<SomeMap>(),
                                        next_ = std::make_shared<SomeMap>();
  Taking aligner_;
};

TEST_F(AFollower, KeepsItsMapWhenABuildFails) {
  int tries = 0;
  MapFollower following = follower([&] {
    if (++tries == 1) throw InputError("tile_0_0.pcd: it is cut off");
    if (tries == 2) throw std::bad_alloc();
    return next_;
  });
  following.begin({30, 0});
  MapOutcome outcome = following.take();
  EXPECT_FALSE(outcome.swapped);
  EXPECT_EQ(outcome.failure.value_or(""), "tile_0_0.pcd: it is cut off");
  EXPECT_EQ(outcome.around.centre.x, 30);
  EXPECT_EQ(aligner_.map, first_);
  EXPECT_EQ(following.policy().in_force().centre.x, 0);
  EXPECT_FALSE(following.policy().due({49, 0}));
  following.begin({50, 0});
  EXPECT_THAT(following.take().failure.value_or(""), HasSubstr("not enough memory for a second map"));
  EXPECT_EQ(aligner_.map, first_);
  following.begin({70, 0});
  EXPECT_TRUE(following.take().swapped);
  EXPECT_EQ(aligner_.map, next_);
  EXPECT_EQ(following.policy().in_force().centre.x, 70);
}

TEST_F(AFollower, KeepsAMapThatStaysTheSame) {
  MapFollower following = follower([] { return nullptr; });
  following.begin({30, 0});
  const MapOutcome outcome = following.take();
  EXPECT_FALSE(outcome.swapped || outcome.failure);
  EXPECT_EQ(aligner_.map, first_);
  EXPECT_EQ(following.policy().in_force().centre.x, 30) << "it is that of the new place, too";
}

TEST_F(AFollower, GivesAMapBackOnItsThreadWhenTheNextBegins) {
  std::thread::id freed;
  struct Telling : SomeMap {
    explicit Telling(std::thread::id& where) : freed(where) {}
    ~Telling() override { freed = std::this_thread::get_id(); }
    std::thread::id& freed;
  };
  aligner_.map = std::make_shared<Telling>(freed);
  MapFollower following = follower([&] { return next_; });
  following.begin({30, 0});
  following.take();
  EXPECT_EQ(freed, std::thread::id()) << "the exchange frees nothing";
  following.begin({60, 0});
  following.wait();
  EXPECT_NE(freed, std::thread::id());
  EXPECT_NE(freed, std::this_thread::get_id());
}

TEST_F(AFollower, BuildsOneMapAtATime) {
  MapFollower following = follower([&] { return next_; });
  EXPECT_FALSE(following.ready());
  EXPECT_THROW(following.take(), std::logic_error);
  following.begin({});
  EXPECT_THROW(following.begin({}), std::logic_error);
  following.wait();
  EXPECT_TRUE(following.ready());
  following.take();
  EXPECT_FALSE(following.building());
  EXPECT_THROW(MapFollower(aligner_, MapUpdatePolicy({}, kFirst), {}), std::invalid_argument);
}

TEST_F(AFollower, WaitsForABuildBeforeItGoes) {
  bool done = false;
  {
    MapFollower following = follower([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      done = true;
      return next_;
    });
    following.begin({});
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace ndt::localization
