// Maps in tiles that are built beside the alignments and come into force between two of them, on every
// implementation that can.
#include <atomic>
#include <mutex>
#include <thread>

#include "every_implementation.hpp"
#include "ndt/core/error.hpp"
#include "tiles.hpp"

namespace ndt {
namespace {

const Transform kGuess = to_transform({0.3, -0.2, 0.05, 0.01, -0.01, 0.03});

class ExchangeMap : public EveryImplementation {
 protected:
  void SetUp() override {
    EveryImplementation::SetUp();
    if (IsSkipped()) return;
    aligner = make();
    resident = aligner->resident_map();
    if (!resident) GTEST_SKIP() << GetParam().name << " makes maps of whole clouds only";
    tiles = cut(test_clouds::map(), 9);
  }
  void hold_all() { add_all(*resident, tiles); }
  AlignResult align() const { return aligner->align(scan, kGuess); }
  /// Aligns with a new aligner, whose map is the cloud.
  AlignResult align_with(const PointCloud& cloud) const {
    const auto fresh = make();
    fresh->set_map(cloud);
    return fresh->align(scan, kGuess);
  }

  std::unique_ptr<Aligner> aligner;
  std::unique_ptr<ResidentMap> resident;
  Tiles tiles;
  const PointCloud scan = test_clouds::scan_of(500);
};

void expect_same(const AlignResult& a, const AlignResult& b) {
  EXPECT_TRUE(same_bits(a.map_from_scan, b.map_from_scan));
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.stop, b.stop);
}

TEST_P(ExchangeMap, AlignsAsWithTheMergedCloud) {
  hold_all();
  EXPECT_EQ(aligner->exchange_map(resident->build()), nullptr);
  expect_same(align(), align_with(merged(tiles)));
}

TEST_P(ExchangeMap, TheWindowsOfAFinishAreThoseOfTheMergedCloud) {
  AlignOptions options = AlignOptions::pyramid();
  options.finish = Finish::windows;
  const auto finishing = make(options), fresh = make(options);
  const auto in_tiles = finishing->resident_map();
  add_all(*in_tiles, tiles);
  const auto expect_merged = [&] {
    finishing->exchange_map(in_tiles->build());
    fresh->set_map(merged(tiles));
    const AlignResult got = finishing->align(scan, kGuess), expected = fresh->align(scan, kGuess);
    expect_same(got, expected);
    ASSERT_TRUE(got.finish && expected.finish);
    EXPECT_EQ(got.finish->score, expected.finish->score);
  };
  expect_merged();
  const TileId some = std::next(tiles.begin(), 20)->first;
  const TileCloud points = tiles.at(some);
  in_tiles->remove(some), tiles.erase(some);
  expect_merged();
  const TileId first = tiles.begin()->first;
  in_tiles->remove(first), tiles.erase(first);
  in_tiles->add(some, points), tiles.emplace(some, points);
  expect_merged();
  expect_merged();  // of nothing new
}

TEST_P(ExchangeMap, AddedRemovedAndAddedAgainIsAsAFreshMap) {
  hold_all();
  const TileId some = std::next(tiles.begin(), 20)->first;
  const TileCloud points = tiles.at(some);
  aligner->exchange_map(resident->build());
  resident->remove(some);
  tiles.erase(some);
  const auto without = resident->build();
  EXPECT_NE(aligner->exchange_map(without), nullptr) << "the map before is the caller's again";
  expect_same(align(), align_with(merged(tiles)));
  resident->add(some, points);
  tiles[some] = points;
  EXPECT_EQ(aligner->exchange_map(resident->build()), without);
  expect_same(align(), align_with(merged(tiles)));
}

TEST_P(ExchangeMap, TwoAlignersShareAMap) {
  hold_all();
  const auto map = resident->build();
  const auto other = make();
  aligner->exchange_map(map);
  other->exchange_map(map);
  expect_same(align(), other->align(scan, kGuess));
}

TEST_P(ExchangeMap, AMapOutlivesItsTilesAndWhoeverBuiltIt) {
  hold_all();
  aligner->exchange_map(resident->build());
  const AlignResult before = align();
  resident.reset();
  expect_same(align(), before);
}

TEST_P(ExchangeMap, ATileThatIsRefusedLeavesTheMapInForce) {
  AlignOptions coarse;
  coarse.epsilon_m = 0.3;  // so that a point may be as far away as no voxel is
  aligner = make(coarse);
  resident = aligner->resident_map();
  hold_all();
  aligner->exchange_map(resident->build());
  const AlignResult before = align();
  resident->add(7777777, std::make_shared<const std::vector<Point>>(std::vector<Point>{{0, 3e6F, 0}}));
  EXPECT_THROW(resident->build(), InputError);
  expect_same(align(), before);
  resident->remove(7777777);
  aligner->exchange_map(resident->build());
  expect_same(align(), before);
}

TEST_P(ExchangeMap, RefusesAMapThatItCannotUse) {
  hold_all();
  AlignOptions finer;
  finer.resolution_m = 1;
  const auto of_finer = make(finer)->resident_map();
  add_all(*of_finer, tiles);
  aligner->exchange_map(resident->build());
  const AlignResult before = align();
  EXPECT_THROW(aligner->exchange_map(of_finer->build()), std::invalid_argument);
  EXPECT_THROW(aligner->exchange_map(nullptr), std::invalid_argument);
  expect_same(align(), before);
}

/// One thread takes tiles away and gives them back, the other aligns with the newest map there is.
TEST_P(ExchangeMap, AThousandMapsComeIntoForceBetweenAlignmentsAndNoneIsHalf) {
  struct Next {
    std::shared_ptr<const ReadyMap> map;
    bool whole = true;
  };
  const TileId some = std::next(tiles.begin(), 20)->first;
  Tiles less = tiles;
  less.erase(some);
  const AlignResult with = align_with(merged(tiles)), without = align_with(merged(less));
  ASSERT_FALSE(same_bits(with.map_from_scan, without.map_from_scan)) << "or this shows nothing";

  hold_all();
  Next next{resident->build(), true};
  std::mutex exchange;  // of pointers only
  std::vector<std::shared_ptr<const ReadyMap>> used;
  std::atomic<bool> done = false, enough = false;  // a busy machine aligns seldom
  std::thread builder([&] {
    for (int k = 1; k <= 1000 || !enough; ++k) {
      k % 2 == 1 ? resident->remove(some) : resident->add(some, tiles.at(some));
      Next built{resident->build(), k % 2 == 0};
      std::vector<std::shared_ptr<const ReadyMap>> old;  // given back on this thread
      const std::lock_guard lock(exchange);
      std::swap(next, built);
      std::swap(used, old);
    }
    done = true;
  });
  int alignments = 0, changes = 0;
  for (bool last = false; !last; ++alignments) {
    last = done;
    bool whole = true;
    {
      const std::lock_guard lock(exchange);
      whole = next.whole;
      auto before = aligner->exchange_map(next.map);
      changes += before != next.map ? 1 : 0;
      used.push_back(std::move(before));
    }
    expect_same(align(), whole ? with : without);
    enough = HasFailure() || (alignments > 10 && changes > 10);
    if (HasFailure()) break;
  }
  builder.join();
}

NDT_ON_EVERY_IMPLEMENTATION(ExchangeMap);

}  // namespace
}  // namespace ndt
