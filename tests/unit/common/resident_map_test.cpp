// Maps in tiles against maps of the same points in one cloud: whatever came and went before, and however the
// points are parted.
#include "ndt/align/resident_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "at_resolution.hpp"
#include "message_of.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/edge/host_aligner.hpp"
#include "same_maps.hpp"
#include "test_clouds.hpp"
#include "tiles.hpp"

namespace ndt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
/// Returns the tiles with the given ids.
Tiles some_of(const Tiles& tiles, const std::set<TileId>& ids) {
  Tiles some;
  for (const TileId id : ids) some[id] = tiles.at(id);
  return some;
}

std::set<TileId> ids_of(const Tiles& tiles) {
  std::set<TileId> ids;
  for (const auto& [id, points] : tiles) ids.insert(id);
  return ids;
}

TileCloud tile(std::vector<Point> points) {
  return std::make_shared<const std::vector<Point>>(std::move(points));
}

const std::vector<std::unique_ptr<VoxelMap>>& levels_of(const ReadyMap& map) {
  return dynamic_cast<const LevelMaps<VoxelMap>&>(map).levels();
}

void expect_map_of(const ReadyMap& got, const PointCloud& cloud, const AlignOptions& options,
                   const std::string& name) {
  const MapCloud whole(cloud, options);
  const auto expected = build_levels(
      options, [&](const AlignOptions& level) { return std::make_unique<VoxelMap>(whole, level); });
  const auto& levels = levels_of(got);
  ASSERT_EQ(levels.size(), expected.size()) << name;
  for (std::size_t k = 0; k < levels.size(); ++k)
    expect_same_bits(*levels[k], *expected[k], name + ", level " + std::to_string(k));
}

PointCloud moved(PointCloud cloud, const Point& by) {
  for (Point& p : cloud.points) p = p + by;
  return cloud;
}

TEST(ResidentMap, TilesAreTheMergedCloudBitForBit) {
  for (const double size_m : {8.0, 20.0, 7.3, 1.1})
    for (const double resolution_m : {1.0, 2.0, 3.0}) {
      const Tiles tiles = cut(test_clouds::map(), size_m);
      const auto resident = host_resident_map(at_resolution(resolution_m));
      add_all(*resident, tiles);
      expect_map_of(*resident->build(), merged(tiles), at_resolution(resolution_m),
                    std::to_string(size_m) + " m in " + std::to_string(resolution_m));
    }
}

TEST(ResidentMap, HasTheListsOfEveryNeighbourPolicyAndTheMapsOfEveryLevel) {
  const Tiles tiles = cut(test_clouds::map(), 9);
  std::vector<AlignOptions> all{AlignOptions::pyramid(), AlignOptions::of_a_search(Profile::pyramid)};
  for (const Neighbours policy : all_values<Neighbours>()) all.push_back(at_resolution(1, policy));
  for (const AlignOptions& options : all) {
    const auto resident = host_resident_map(options);
    add_all(*resident, tiles);
    expect_map_of(*resident->build(), merged(tiles), options, std::string(to_string(options.neighbours)));
  }
}

TEST(ResidentMap, VoxelsThatManyTilesHavePointsInAreThoseOfTheMergedCloud) {
  const Tiles tiles = strewn(test_clouds::map(), 7);
  const auto resident = host_resident_map({});
  add_all(*resident, tiles);
  expect_map_of(*resident->build(), merged(tiles), {}, "strewn");
}

TEST(ResidentMap, TooFewPointsOfTwoTilesAreAVoxelTogether) {
  const Tiles tiles{{1, tile({{0.1F, 0.2F, 0.3F}, {0.4F, 1.5F, 0.2F}, {1.2F, 0.1F, 0.9F}})},
                    {2, tile({{1.1F, 1.2F, 0.3F}, {0.9F, 1.9F, 0.2F}, {0.3F, 0.7F, 0.4F}})}};
  const auto resident = host_resident_map({});
  resident->add(1, tiles.at(1));
  EXPECT_THAT(message_of<InputError>([&] { resident->build(); }),
              HasSubstr("3 finite points (0 non-finite dropped) occupy 1"));
  resident->add(2, tiles.at(2));
  const auto map = resident->build();
  EXPECT_EQ(map->info().voxels, 1);
  expect_map_of(*map, merged(tiles), {}, "three and three");
}

TEST(ResidentMap, AddedRemovedAndAddedAgainIsAsAFreshBuild) {
  const Tiles tiles = cut(test_clouds::map(), 10);
  const auto resident = host_resident_map({});
  add_all(*resident, tiles);
  const auto first = resident->build();
  const TileId some = std::next(tiles.begin(), static_cast<std::ptrdiff_t>(tiles.size() / 2))->first;
  resident->remove(some);
  std::set<TileId> rest = ids_of(tiles);
  rest.erase(some);
  expect_map_of(*resident->build(), merged(some_of(tiles, rest)), {}, "removed");
  resident->add(some, tiles.at(some));
  expect_map_of(*resident->build(), merged(tiles), {}, "added again");
  expect_map_of(*first, merged(tiles), {}, "the map before");
}

/// Adds and removes at random, and compares every map on the way with a fresh one. The last map stays in use,
/// so that the next is made from it.
void expect_fresh_after_any_changes(const Tiles& tiles, const AlignOptions& options, unsigned seed) {
  std::mt19937 random(seed);
  const std::set<TileId> all = ids_of(tiles);
  const std::vector<TileId> ids(all.begin(), all.end());
  std::uniform_int_distribution<std::size_t> any(0, ids.size() - 1);
  const auto resident = host_resident_map(options);
  std::set<TileId> held;
  std::shared_ptr<const ReadyMap> map;
  const int together = 1 + static_cast<int>(seed % 7);
  for (int change = 0; change < 60; ++change) {
    const TileId id = ids[any(random)];
    if (held.insert(id).second) {
      resident->add(id, tiles.at(id));
    } else {
      resident->remove(id);
      held.erase(id);
    }
    EXPECT_EQ(resident->ids(), std::vector<TileId>(held.begin(), held.end()));
    if (change % together != together - 1 || held.empty()) continue;
    const PointCloud cloud = merged(some_of(tiles, held));
    try {
      map = resident->build();
    } catch (const NoValidVoxel&) {
      EXPECT_THROW(VoxelMap(cloud, options), NoValidVoxel) << "seed " << seed << ", change " << change;
      continue;
    }
    expect_map_of(*map, cloud, options,
                  "seed " + std::to_string(seed) + ", change " + std::to_string(change));
  }
}

TEST(ResidentMap, AnyOrderOfAddsAndRemovesGivesTheMapOfTheTilesThatAreHeld) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    expect_fresh_after_any_changes(cut(test_clouds::map(), 11), at_resolution(seed % 2 == 0 ? 2 : 1.5), seed);
    expect_fresh_after_any_changes(strewn(test_clouds::map(), 12), {}, seed);
    expect_fresh_after_any_changes(cut(test_clouds::map(), 7), AlignOptions::pyramid(), seed);
  }
}

TEST(ResidentMap, ChangesFarFromTheRestAreThoseOfTheMergedCloud) {
  Tiles tiles = cut(test_clouds::map(), 16);
  const TileId some = tiles.begin()->first;
  const auto resident = host_resident_map({});
  add_all(*resident, tiles);
  std::shared_ptr<const ReadyMap> map = resident->build();
  const std::pair<TileId, TileCloud> beside{9999990, tile(std::vector<Point>(8, {-90, 30, 60}))},
      beyond_the_window{9999991, tile(std::vector<Point>(8, {9e4F, -9e4F, 9e4F}))};
  for (const auto& [id, points] : {beside, beyond_the_window}) {
    resident->add(id, points), tiles[id] = points;
    expect_map_of(*(map = resident->build()), merged(tiles), {}, "come");
    resident->remove(some);
    Tiles fewer = tiles;
    fewer.erase(some);
    expect_map_of(*(map = resident->build()), merged(fewer), {}, "changed elsewhere");
    resident->add(some, tiles.at(some));
    resident->remove(id), tiles.erase(id);
    expect_map_of(*(map = resident->build()), merged(tiles), {}, "gone");
  }
}

TEST(ResidentMap, IsThatOfTheMergedCloudWhereTheOriginMovesOn) {
  // The courtyard's 64 m around the border of two kilometres, so that the held tiles decide for one of them.
  for (const Point& at : {Point{5000, -3000, 0}, Point{-1000, 0, 2000}}) {
    const Tiles tiles = cut(moved(test_clouds::map(), at), 11);
    std::set<double> origins;
    const auto resident = host_resident_map({});
    std::set<TileId> held;
    for (const auto& [id, points] : tiles) {
      resident->add(id, points);
      held.insert(id);
      if (held.size() > 12) {
        resident->remove(*held.begin());
        held.erase(held.begin());
      }
      if (held.size() < 6) continue;
      const auto map = resident->build();
      origins.insert(map->info().origin.x);
      expect_map_of(*map, merged(some_of(tiles, held)), {}, "tile " + std::to_string(id));
    }
    EXPECT_EQ(origins.size(), 2u) << "or this shows nothing";
  }
}

TEST(ResidentMap, DropsAndCountsPointsThatAreNotFinite) {
  Tiles tiles = cut(test_clouds::map(), 20);
  std::vector<Point> first = *tiles.begin()->second, last = *tiles.rbegin()->second;
  first.insert(first.begin() + 5, {std::nanf(""), 1, 1});
  last.push_back({1, INFINITY, 1});
  tiles.begin()->second = tile(first), tiles.rbegin()->second = tile(last);
  tiles[7777777] = tile({});
  const auto resident = host_resident_map({});
  add_all(*resident, tiles);
  const auto map = resident->build();
  EXPECT_EQ(map->info().dropped_points, 2);
  expect_map_of(*map, merged(tiles), {}, "two dropped");
}

TEST(ResidentMap, AVoxelAHundredKilometresAwayIsInTheHashAsInAFreshBuild) {
  Tiles tiles = cut(test_clouds::map(), 16);
  tiles[9999999] = tile(std::vector<Point>(8, {1e5F, -1e5F, 1e5F}));
  const auto resident = host_resident_map({});
  add_all(*resident, tiles);
  expect_map_of(*resident->build(), merged(tiles), {}, "far voxel");
}

TEST(ResidentMap, ATileThatCannotBeBuiltLeavesTheMapsBeforeAndGoesAgain) {
  const Tiles tiles = cut(test_clouds::map(), 16);
  AlignOptions options = at_resolution(1);
  options.epsilon_m = 0.3;  // so that a point may be as far away as no voxel is
  const auto resident = host_resident_map(options);
  add_all(*resident, tiles);
  const auto before = resident->build();
  resident->add(5, tile({{0, 3e6F, 0}}));
  EXPECT_THAT(message_of<InputError>([&] { resident->build(); }), HasSubstr("(0, 3000000, 0) m"));
  EXPECT_THAT(message_of<InputError>([&] {
                resident->add(6, tile(std::vector<Point>(9, {5e6F, 0, 0})));
              }),
              HasSubstr("precision_lost"));
  EXPECT_THAT(resident->ids(), testing::Not(testing::Contains(6)));
  const PointCloud cloud = merged(tiles);
  expect_map_of(*before, cloud, options, "before");
  resident->remove(5);
  expect_map_of(*resident->build(), cloud, options, "after");
}

TEST(ResidentMap, MistakesAreRefused) {
  const auto resident = host_resident_map({});
  resident->add(3, tile({{1, 2, 3}}));
  EXPECT_EQ(message_of<std::invalid_argument>([&] { resident->add(3, tile({})); }),
            "add: tile 3 is held; remove it first");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { resident->add(4, nullptr); }),
            "add: tile 4 is a null pointer; give its points");
  EXPECT_EQ(message_of<std::invalid_argument>([&] { resident->remove(4); }),
            "remove: tile 4 is not held; see ids()");
  EXPECT_THAT(resident->ids(), ElementsAre(3));
  resident->remove(3);
  EXPECT_THAT(message_of<InputError>([&] { resident->build(); }), HasSubstr("no valid voxel"));
}

}  // namespace
}  // namespace ndt
