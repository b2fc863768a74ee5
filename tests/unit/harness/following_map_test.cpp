// Drives through the courtyard in tiles with a map that follows: what comes into force and when, and what
// happens where it cannot.
#include "ndt/localization/following_map.hpp"

#include <algorithm>
#include <cstring>

#include "base/io_names.hpp"
#include "data/map_cut.hpp"
#include "localize/localize_run.hpp"
#include "ndt/io/map_metadata.hpp"
#include "ndt/io/tiled_map.hpp"
#include "registry/registry.hpp"
#include "scratch_files.hpp"
#include "test_clouds.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using localization::Localizer;
using localization::MapFollowing;
using testing::HasSubstr;

constexpr MapFollowing kSmall{.radius_m = 28, .update_distance_m = 3, .lidar_radius_m = 22},
    kWhole{.radius_m = 100, .update_distance_m = 3, .lidar_radius_m = 50};

/// 0.8 m a scan, along x.
Transform truth_of(std::size_t frame) {
  return to_transform({0.8 * static_cast<double>(frame) - 12, 1, 0, 0, 0, 0.01 * static_cast<double>(frame)});
}

/// The part of the courtyard's scan that a scanner with a range of 22 m would see from the pose.
PointCloud seen_from(const Transform& pose) {
  const Transform back = inverse(pose);
  PointCloud scan;
  for (const Point& p : test_clouds::scan().points) {
    const Vec3<double> at = rotation_of(back) * cast<double>(p) + translation_of(back);
    if (dot(at, at) < 22 * 22) scan.points.push_back(cast<float>(at));
  }
  return scan;
}

std::unique_ptr<Aligner> one_thread() {
  AlignOptions options;
  options.threads = 1;
  return find_implementation("persistent_cpu").make(options);
}

localization::LocalizerOptions without_searches() {
  localization::LocalizerOptions options;
  options.least_score = 1;
  options.recovery_particles = 0;
  options.required_range_m = 0;
  return options;
}

/// A localised scan and its report, which owns the pose that `scan` points to.
struct Seen {
  LocalizedScan scan;
  localization::ScanReport report;
};
struct Trip {
  std::vector<Seen> scans;
  LocalizeSummary summary;
};

class FollowingMapTest : public ScratchFiles {
 protected:
  FollowingMapTest() : ScratchFiles("tiles") {}
  void SetUp() override {
    if (!map_metadata_readable()) GTEST_SKIP() << "built without yaml-cpp";
    cut_map(test_clouds::map(), 8, path());
  }
  localization::FollowingSetting setting(const MapFollowing& options) const {
    const Vec3<double> at = translation_of(truth_of(0));
    return {options, {{at.x, at.y}, options.radius_m}, {}, false};
  }
  localization::FollowingMap following(const MapFollowing& options) const {
    return localization::FollowingMap(MapFiles(path()), setting(options), one_thread);
  }

  /// `before` is called before each scan.
  static Trip drive(
      Aligner& tracker, localization::FollowingMap* map,
      const std::function<void(std::size_t)>& before = [](auto) {}) {
    ScanSequence sequence;
    for (std::size_t k = 0; k < 30; ++k)
      sequence.scans.push_back({std::to_string(k), 0.1 * static_cast<double>(k), truth_of(k)});
    LocalizeInput input;
    input.sequence = &sequence;
    input.critical_ms = 1e9;
    input.following = map;
    input.limits = [] { return PerScan(); };
    input.scan = [&](std::size_t k) {
      before(k);
      return seen_from(truth_of(k));
    };
    Localizer localizer(tracker, without_searches());
    localizer.start_at(truth_of(0));
    Trip trip;
    trip.summary = localize_all(localizer, input, [&](const LocalizedScan& scan) {
      trip.scans.push_back({scan, *scan.report});
    });
    return trip;
  }
  static Trip drive(
      localization::FollowingMap& map, const std::function<void(std::size_t)>& before = [](auto) {}) {
    return drive(map.aligner(), &map, before);
  }
};

void expect_same_poses(const Trip& a, const Trip& b) {
  ASSERT_EQ(a.scans.size(), b.scans.size());
  for (std::size_t k = 0; k < a.scans.size(); ++k) {
    const Transform &of_a = a.scans[k].report.map_from_scan, &of_b = b.scans[k].report.map_from_scan;
    EXPECT_EQ(std::memcmp(&of_a, &of_b, sizeof of_a), 0) << "scan " << k;
    EXPECT_EQ(a.scans[k].scan.map_tiles, b.scans[k].scan.map_tiles) << "scan " << k;
  }
}

TEST_F(FollowingMapTest, WhereTheRadiusHoldsAllItIsTheWholeMapBitForBit) {
  const auto whole = one_thread();
  whole->set_map(MapFiles(path()).load().cloud);
  const Trip expected = drive(*whole, nullptr);
  localization::FollowingMap map = following(kWhole);
  Trip got = drive(map);
  EXPECT_EQ(got.summary.ok, 30u);
  EXPECT_EQ(map.use().updates, 0u) << "its tiles stay the same, and nothing is built";
  for (Seen& seen : got.scans) seen.scan.map_tiles.reset();
  expect_same_poses(got, expected);
}

TEST_F(FollowingMapTest, EveryScanIsAlignedWithTheTilesAroundAScanTwoBeforeItsMap) {
  localization::FollowingMap map = following(kSmall);
  const MapFiles files(path());
  const Trip trip = drive(map);
  EXPECT_EQ(trip.summary.ok, 30u);
  EXPECT_GE(map.use().updates, 6u);
  EXPECT_EQ(map.use().waits, 0u);
  const auto fresh = one_thread();
  const localization::MapCircle first = setting(kSmall).first;
  MapArea area{first.centre.x, first.centre.y, first.centre.x, first.centre.y, first.radius_m};
  for (std::size_t k = 0; k < trip.scans.size(); ++k) {
    const auto& [scan, report] = trip.scans[k];
    if (scan.map_update) {
      EXPECT_TRUE(scan.map_update->error.empty()) << scan.map_update->error;
      const localization::MapPlace at = scan.map_update->around.centre;
      const Transform& begun_at = trip.scans[k - 2].report.map_from_scan;
      EXPECT_EQ(at.x, begun_at(0, 3)) << "scan " << k;
      area = {at.x, at.y, at.x, at.y, kSmall.radius_m};
    }
    const LoadedMap loaded = files.load(area);
    EXPECT_EQ(scan.map_tiles, loaded.tiles) << "scan " << k;
    fresh->set_map(loaded.cloud);
    const AlignResult again = fresh->align(seen_from(truth_of(k)), report.prediction.map_from_scan);
    EXPECT_EQ(std::memcmp(&again.map_from_scan, &report.aligned->map_from_scan, sizeof again.map_from_scan),
              0)
        << "scan " << k;
    EXPECT_EQ(again.score, report.aligned->score);
  }
  EXPECT_TRUE(same_bits(map.cloud().points, files.load(area).cloud.points));
}

TEST_F(FollowingMapTest, ThePictureHasPointsOfEveryTileOnTheWay) {
  localization::FollowingMap map = following(kSmall);
  float before_m = 0, after_m = 0;
  for (const Point& p : map.picture().points) before_m = std::max(before_m, p.x);
  drive(map);
  const PointCloud picture = map.picture();
  for (const Point& p : picture.points) after_m = std::max(after_m, p.x);
  EXPECT_LT(before_m, 24);
  EXPECT_GT(after_m, 24);
  EXPECT_LE(picture.size(), 64u * 60);
}

TEST_F(FollowingMapTest, MapsOfWholeCloudsAreThoseOfTiles) {
  localization::FollowingSetting filtered = setting(kSmall);
  filtered.filter = [](PointCloud cloud) { return cloud; };  // keeps every point, and takes the cloud of all
  std::size_t made = 0;
  localization::FollowingMap whole(MapFiles(path()), filtered, [&] {
    ++made;
    return one_thread();
  });
  localization::FollowingMap tiles = following(kSmall);
  const Trip of_tiles = drive(tiles), of_whole = drive(whole);
  expect_same_poses(of_whole, of_tiles);
  EXPECT_GE(whole.use().updates, 6u);
  EXPECT_LE(made, 3u) << "the first, which had no use, and two that take turns";
}

TEST_F(FollowingMapTest, TwoDrivesHaveTheSameBits) {
  localization::FollowingMap a = following(kSmall), b = following(kSmall);
  expect_same_poses(drive(a), drive(b));
}

TEST_F(FollowingMapTest, ATileThatIsMissingForAWhileIsWarnedOfAndTheMapBeforeStays) {
  localization::FollowingMap map = following(kSmall);
  const fs::path tile = path() / "tile_24_0.pcd", aside = path("aside.pcd");
  const Trip trip = drive(map, [&](std::size_t k) {
    if (k == 1) fs::rename(tile, aside);
    if (k == 16) fs::rename(aside, tile);
  });
  EXPECT_EQ(trip.summary.ok, 30u) << "the tiles that are held are enough for this while";
  EXPECT_GE(map.use().failed, 1u);
  std::size_t warned = 0, recovered = 0;
  std::optional<double> failed_at;
  for (const auto& [scan, report] : trip.scans) {
    if (!scan.map_update) continue;
    const double x = scan.map_update->around.centre.x;
    if (!scan.map_update->error.empty()) {
      ++warned;
      EXPECT_GE(x - failed_at.value_or(-100), kSmall.update_distance_m) << "not with every scan";
      failed_at = x;
      EXPECT_THAT(scan.map_update->error, HasSubstr("tile_24_0.pcd"));
      EXPECT_GE(report.diagnosis.level, localization::Level::warn);
      EXPECT_THAT(report.diagnosis.messages,
                  testing::Contains(testing::AllOf(HasSubstr("the map was not updated to 28 m around ("),
                                                   HasSubstr("stays in force"), HasSubstr("tile_24_0.pcd"))));
    } else if (warned > 0) {
      ++recovered;
    }
  }
  EXPECT_EQ(warned, map.use().failed);
  EXPECT_GE(recovered, 1u);
  EXPECT_EQ(localization::to_string(trip.scans.back().report.diagnosis.level), std::string("OK"));
}

TEST_F(FollowingMapTest, AVehicleThatLeavesAMapWithoutAnotherIsAnErrorOfEveryScan) {
  localization::FollowingMap map = following(kSmall);
  const Trip trip = drive(map, [&](std::size_t k) {
    if (k == 1) std::ofstream(path() / "tile_24_0.pcd") << "broken";
  });
  const auto& [scan, report] = trip.scans.back();
  EXPECT_TRUE(map.out_of_range());
  EXPECT_EQ(localization::to_string(report.diagnosis.level), std::string("ERROR"));
  EXPECT_THAT(report.diagnosis.messages,
              testing::Contains(testing::AnyOf(HasSubstr("a scan may see beyond the map in force"),
                                               HasSubstr("stays in force"))));
}

TEST_F(FollowingMapTest, AVehicleThatIsCarriedOffWaitsForItsMap) {
  localization::FollowingMap map = following(kSmall);
  map.after_scan(truth_of(0));
  EXPECT_FALSE(map.before_scan());
  map.after_scan(to_transform({9, 1, 0, 0, 0, 0}));
  const std::optional<localization::MapUpdate> update = map.before_scan();
  ASSERT_TRUE(update && update->swapped);
  EXPECT_EQ(update->around.centre.x, 9);
  EXPECT_GE(update->waited_ms, 0);
  EXPECT_EQ(map.use().waits, 1u);
  EXPECT_FALSE(map.out_of_range());
}

TEST_F(FollowingMapTest, AfterAJumpAScanWaitsForTheMapOfItsPlaceWhereverItIs) {
  localization::FollowingMap map = following(kSmall);
  map.after_scan(to_transform({-8, 1, 0, 0, 0, 0}));  // begins an update
  map.jump_to(to_transform({-7.5, 1, 0, 0, 0, 0}));
  const std::optional<localization::MapUpdate> update = map.before_scan();
  ASSERT_TRUE(update);
  EXPECT_EQ(update->around.centre.x, -7.5);
  EXPECT_EQ(map.in_force().centre.x, -7.5);
  EXPECT_FALSE(map.before_scan()) << "once";
}

TEST_F(FollowingMapTest, AMapUnderWayThatComesTooLateIsFollowedByTheRightOne) {
  localization::FollowingMap map = following(kSmall);
  map.after_scan(to_transform({-8, 1, 0, 0, 0, 0}));  // begins an update
  map.after_scan(to_transform({12, 1, 0, 0, 0, 0}));
  const std::optional<localization::MapUpdate> update = map.before_scan();
  ASSERT_TRUE(update && update->swapped);
  EXPECT_EQ(update->around.centre.x, 12);
  EXPECT_EQ(map.use().updates, 2u);
  EXPECT_EQ(map.use().waits, 1u);
}

TEST_F(FollowingMapTest, InRealTimeAMapIsInForceOnceItIsReady) {
  localization::FollowingSetting real = setting(kSmall);
  real.real_time = true;
  localization::FollowingMap map(MapFiles(path()), real, one_thread);
  map.after_scan(to_transform({-8, 1, 0, 0, 0, 0}));
  std::optional<localization::MapUpdate> update;
  while (!update) update = map.before_scan();
  EXPECT_TRUE(update->swapped);
  EXPECT_EQ(update->waited_ms, 0);
  EXPECT_EQ(map.use().waits, 0u);
}

TEST_F(FollowingMapTest, MistakesAreRefused) {
  localization::FollowingSetting far = setting(kSmall);
  far.first = {{900, 0}, 28};
  EXPECT_THAT(input_error_of([&] { localization::FollowingMap(MapFiles(path()), far, one_thread); }),
              HasSubstr("no tile is within 28 m of (900, 0)"));
  EXPECT_THAT(mistake_of([&] {
                localization::FollowingMap(MapFiles(path()), setting({.radius_m = 30}), one_thread);
              }),
              HasSubstr("map-radius = 30: must not be below"));
  EXPECT_THAT(mistake_of([&] {
                localization::FollowingMap(MapFiles(path() / "tile_0_0.pcd"), setting(kSmall), one_thread);
              }),
              HasSubstr("has no metadata"));
}

}  // namespace
}  // namespace ndt::harness
