#include <random>

#include "base/io_names.hpp"
#include "data/courtyard.hpp"
#include "data/map_cut.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/map_metadata.hpp"
#include "ndt/io/tiled_map.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

MapArea around(double x, double y, double reach_m) { return {x, y, x, y, reach_m}; }

class HeldTilesTest : public ScratchFiles {
 protected:
  HeldTilesTest() : ScratchFiles("tiles") {}
  void SetUp() override {
    if (!map_metadata_readable()) GTEST_SKIP() << "built without yaml-cpp";
    cut_map(courtyard_map(), 8, path());
  }
};

void expect_same(const PointCloud& a, const PointCloud& b) {
  EXPECT_EQ(a.origin.x, b.origin.x);
  EXPECT_EQ(a.origin.y, b.origin.y);
  EXPECT_EQ(a.origin.z, b.origin.z);
  EXPECT_TRUE(same_bits(a.points, b.points));
}

TEST_F(HeldTilesTest, AnyWayToAPlaceGivesTheCloudOfAFreshLoad) {
  const MapFiles files(path());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> coordinate(-35, 35), reach(3, 40);
  HeldTiles held(files);
  std::size_t kept = 0;
  for (int k = 0; k < 60; ++k) {
    const MapArea area = around(coordinate(random), coordinate(random), reach(random));
    const HeldTiles moved = held.moved_to(area);
    const LoadedMap fresh = files.load(area);
    EXPECT_EQ(moved.size(), fresh.tiles);
    EXPECT_EQ(moved.size(), held.size() + moved.read() - moved.dropped());
    expect_same(moved.cloud(), fresh.cloud);
    kept += moved.size() - moved.read();
    held = moved;
  }
  EXPECT_GT(kept, 200u) << "or this shows nothing";
}

TEST_F(HeldTilesTest, DoublesGetTheOriginOfAFreshLoad) {
  PointCloud cloud = courtyard_map();
  cloud.origin = {3999995, -5000005, 1000};
  write_cloud(path("far.pcd"), cloud);
  const fs::path folder = path("far");
  cut_map(read_cloud(path("far.pcd")), 10, folder);
  const MapFiles files(folder);
  HeldTiles held(files);
  for (const double x : {3999980.0, 3999995.0, 4000015.0}) {
    held = held.moved_to(around(x, -5000000, 12));
    expect_same(held.cloud(), files.load(around(x, -5000000, 12)).cloud);
  }
}

TEST_F(HeldTilesTest, AHeldTileIsNotReadAgain) {
  const MapFiles files(path());
  const HeldTiles held = HeldTiles(files).moved_to(around(4, 4, 1));
  EXPECT_EQ(held.read(), 1u);
  fs::remove(path() / "tile_0_0.pcd");
  const HeldTiles moved = held.moved_to(around(4, 4, 5));
  EXPECT_EQ(moved.size(), 5u);
  EXPECT_EQ(moved.read(), 4u);
  EXPECT_TRUE(moved.changed());
  EXPECT_FALSE(moved.moved_to(around(4.1, 4, 5)).changed());
  EXPECT_EQ(moved.moved_to(around(-4, 4, 1)).dropped(), 4u);
}

TEST_F(HeldTilesTest, ATileThatCannotBeReadLeavesWhatIsHeldAsItWas) {
  const MapFiles files(path());
  const HeldTiles held = HeldTiles(files).moved_to(around(4, 4, 1));
  const PointCloud before = held.cloud();
  fs::resize_file(path() / "tile_8_0.pcd", 200);
  EXPECT_THAT(input_error_of([&] { held.moved_to(around(4, 4, 5)); }), HasSubstr("tile_8_0.pcd"));
  EXPECT_THAT(input_error_of([&] { held.moved_to(around(900, 4, 5)); }), HasSubstr("no tile is within 5 m"));
  expect_same(held.cloud(), before);
}

}  // namespace
}  // namespace ndt::harness
