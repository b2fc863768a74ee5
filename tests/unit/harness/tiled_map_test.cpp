#include "ndt/io/tiled_map.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/io_names.hpp"
#include "data/courtyard.hpp"
#include "data/map_cut.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/map_metadata.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class MapFilesTest : public ScratchFiles {
 protected:
  MapFilesTest() : ScratchFiles("map") {}

  void write(const std::string& name, std::vector<Point> points) const {
    fs::create_directories(path(name).parent_path());
    write_cloud(path(name), {{}, std::move(points)});
  }
  void metadata(const std::string& lines, const std::string& folder = "map") const {
    fs::create_directories(path(folder));
    std::ofstream(path(folder) / kMetadataName) << "x_resolution: 10\ny_resolution: 10\n" << lines;
  }
  PointCloud load() const { return MapFiles(path()).load().cloud; }
  std::string refusal_of_load() const {
    return input_error_of([&] { load(); });
  }
};

/// The tests that read metadata.
class TiledMapTest : public MapFilesTest {
 protected:
  void SetUp() override {
    if (!map_metadata_readable()) GTEST_SKIP() << "built without yaml-cpp";
  }
  /// Four tiles of one point, in the order of their corners.
  void write_square() const {
    write("map/a.pcd", {{1, 1, 0}});
    write("map/b.pcd", {{1, 11, 0}});
    write("map/c.pcd", {{11, 1, 0}});
    write("map/d.pcd", {{11, 11, 0}});
    metadata("d.pcd: [10, 10]\nc.pcd: [10, 0]\na.pcd: [0, 0]\nb.pcd: [0, 10]\n");
  }
};

template <class Value>
bool equal_bits(const Value& a, const Value& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

bool same(const VoxelInfo& a, const VoxelInfo& b) {
  return equal_bits(a.key, b.key) && a.points == b.points && equal_bits(a.centroid, b.centroid) &&
         equal_bits(a.mean, b.mean) && equal_bits(a.covariance, b.covariance) &&
         equal_bits(a.inverse_covariance, b.inverse_covariance);
}

void expect_same_voxels(const PointCloud& a, const PointCloud& b, double resolution_m) {
  AlignOptions options;
  options.resolution_m = resolution_m;
  const std::vector<VoxelInfo> of_a = VoxelMap(a, options).voxel_table(),
                               of_b = VoxelMap(b, options).voxel_table();
  ASSERT_EQ(of_a.size(), of_b.size());
  ASSERT_GT(of_a.size(), 100u);
  for (std::size_t k = 0; k < of_a.size(); ++k) EXPECT_TRUE(same(of_a[k], of_b[k])) << "voxel " << k;
}

TEST_F(TiledMapTest, TilesOfACutMapGiveItsVoxelsBitForBit) {
  const PointCloud cloud = courtyard_map();
  const CutSummary cut = cut_map(cloud, 10, path());
  EXPECT_GT(cut.tiles, 4u);
  EXPECT_EQ(cut.points, 30000);
  const PointCloud tiles = load();
  EXPECT_EQ(tiles.size(), cloud.size());
  EXPECT_FALSE(same_bits(tiles.points, cloud.points)) << "the order must have changed, or this shows nothing";
  expect_same_voxels(cloud, tiles, 2);
  expect_same_voxels(cloud, tiles, 2.5);
}

TEST_F(TiledMapTest, TilesAndTheirMergedCloudAreTheSameBits) {
  cut_map(courtyard_map(), 7, path());
  const PointCloud tiles = load();
  write_cloud(path("merged.pcd"), tiles);
  const PointCloud merged = MapFiles(path("merged.pcd")).load().cloud;
  EXPECT_TRUE(same_bits(tiles.points, merged.points));
  expect_same_voxels(tiles, merged, 2);  // 7 m is no multiple: voxels have points of several tiles
}

TEST_F(TiledMapTest, DoublesOfFarTilesGetOneOrigin) {
  PointCloud cloud = courtyard_map();
  cloud.origin = {3999995, -5000005, 1000};  // tiles lie on both sides of whole kilometres
  write_cloud(path("far.pcd"), cloud);
  const PointCloud far = read_cloud(path("far.pcd"));
  ASSERT_NE(far.origin.x, 0);
  cut_map(far, 10, path());
  const PointCloud tiles = load();
  EXPECT_EQ(tiles.origin.x, far.origin.x);
  EXPECT_EQ(tiles.origin.y, far.origin.y);
  EXPECT_EQ(tiles.origin.z, far.origin.z);
  expect_same_voxels(far, tiles, 2);
  write_cloud(path("merged.pcd"), tiles);
  const PointCloud merged = read_cloud(path("merged.pcd"));
  EXPECT_EQ(merged.origin.x, tiles.origin.x);
  EXPECT_TRUE(same_bits(merged.points, tiles.points));
}

TEST_F(MapFilesTest, PointsOnBordersAreInOneTileAndOthersAreDroppedAndCounted) {
  const float below = std::nextafter(10.F, 0.F);
  const CutSummary cut =
      cut_map({{}, {{10, 0, 1}, {below, 0, 2}, {-0.F, -1e-30F, 3}, {kNan, 0, 4}, {0, -10, 5}, {0, 20, 6}}},
              10, path());
  EXPECT_EQ(cut.tiles, 4u);
  EXPECT_EQ(cut.points, 5);
  EXPECT_EQ(cut.dropped_points, 1);
  const auto z_of = [&](const std::string& name) {
    std::vector<float> z;
    for (const Point& p : read_cloud(path() / name).points) z.push_back(p.z);
    return z;
  };
  EXPECT_EQ(z_of("tile_10_0.pcd"), std::vector{1.F});
  EXPECT_EQ(z_of("tile_0_0.pcd"), std::vector{2.F});
  EXPECT_EQ(z_of("tile_0_-10.pcd"), (std::vector{3.F, 5.F}));
  EXPECT_EQ(z_of("tile_0_20.pcd"), std::vector{6.F});
}

TEST_F(TiledMapTest, ASizeThatIsNoBinaryFractionLosesNoPoint) {
  PointCloud cloud;
  for (int k = -500; k < 500; ++k) cloud.points.push_back({0.1F * static_cast<float>(k), 0.3F, 0});
  EXPECT_EQ(cut_map(cloud, 0.3, path()).points, 1000);
  EXPECT_EQ(load().size(), 1000u);  // and every point is in its own tile
}

TEST_F(MapFilesTest, WhatCannotBeCutIsRefusedAndNothingIsWritten) {
  const auto refusal = [&](const PointCloud& cloud) {
    return input_error_of([&] { cut_map(cloud, 1, path()); });
  };
  EXPECT_THAT(refusal({}), HasSubstr("no finite point"));
  EXPECT_THAT(refusal({{}, {{kNan, 0, 0}}}), HasSubstr("no finite point"));
  EXPECT_THAT(refusal({{}, {{2e9F, 0, 0}}}), HasSubstr("farther away than 1000000000 m"));
  PointCloud many;
  for (int k = 0; k <= 65536; ++k) many.points.push_back({static_cast<float>(k), 0, 0});
  EXPECT_THAT(refusal(many), HasSubstr("would be more than 65536"));
  EXPECT_THROW(cut_map(courtyard_map(), 0.05, path()), std::invalid_argument);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(TiledMapTest, OnlyTilesThatTouchTheAreaAreRead) {
  write_square();
  const MapFiles files(path());
  EXPECT_TRUE(files.places_known());
  const auto tiles_near = [&](double x, double y, double reach_m) {
    return files.load(MapArea{x, y, x, y, reach_m}).tiles;
  };
  EXPECT_EQ(tiles_near(5, 5, 1), 1u);
  EXPECT_EQ(tiles_near(5, 5, 5), 3u) << "those beyond its edges, not the one beyond its corner";
  EXPECT_EQ(tiles_near(5, 5, 7.1), 4u);
  EXPECT_EQ(tiles_near(-3, -4, 5), 1u) << "5 m from the corner of a";
  EXPECT_THAT(input_error_of([&] { tiles_near(-3, -4, 4.9); }),
              AllOf(HasSubstr("no tile is within 4.9 m of (-3, -4)"), HasSubstr("5.0 m away")));
  EXPECT_EQ(files.load(MapArea{2, 2, 12, 3, 0}).tiles, 2u);
  const LoadedMap all = files.load();
  EXPECT_EQ(all.tiles, 4u);
  ASSERT_EQ(all.cloud.size(), 4u);
  EXPECT_TRUE(
      same_bits(all.cloud.points, std::vector<Point>{{1, 1, 0}, {1, 11, 0}, {11, 1, 0}, {11, 11, 0}}));
}

TEST_F(TiledMapTest, ABrokenTileOutsideTheAreaIsNotRead) {
  write_square();
  std::ofstream(path() / "d.pcd") << "broken";
  EXPECT_EQ(MapFiles(path()).load(MapArea{1, 1, 1, 1, 1}).tiles, 1u);
  EXPECT_THAT(refusal_of_load(), HasSubstr("d.pcd"));
}

TEST_F(TiledMapTest, AutowaresFoldersAreFoundFromEitherSide) {
  write("map/pointcloud_map.pcd/a.pcd", {{1, 1, 0}});
  metadata("a.pcd: [0, 0]\n");
  for (const fs::path& given :
       {path(), path() / kMetadataName, path() / "pointcloud_map.pcd", path() / "pointcloud_map.pcd" / ""}) {
    EXPECT_TRUE(MapFiles(given).places_known()) << given;
    EXPECT_EQ(MapFiles(given).load().cloud.size(), 1u) << given;
  }
}

TEST_F(TiledMapTest, TheDividersNamesOfMetadataAreFound) {
  for (const char* name : {"site_metadata.yaml", "metadata.yaml"}) {
    write_square();
    fs::rename(path() / kMetadataName, path() / name);
    EXPECT_EQ(MapFiles(path()).load(MapArea{1, 1, 1, 1, 0}).tiles, 1u) << name;
    fs::remove_all(path());
  }
}

TEST_F(TiledMapTest, SeveralPrefixesOrOtherYamlAreNotTheMapsMetadata) {
  write_square();
  fs::rename(path() / kMetadataName, path() / "a_metadata.yaml");
  std::ofstream(path() / "b_metadata.yaml") << "rosbag2_bagfile_information: {}\n";
  std::ofstream(path() / "metadata.yaml") << "rosbag2_bagfile_information: {}\n";
  EXPECT_TRUE(MapFiles(path()).places_known());
  fs::copy_file(path() / "a_metadata.yaml", path() / "c_metadata.yaml");
  EXPECT_FALSE(MapFiles(path()).places_known());
  EXPECT_EQ(load().size(), 4u);
  fs::remove(path() / "a_metadata.yaml");
  fs::remove(path() / "c_metadata.yaml");
  EXPECT_EQ(load().size(), 4u);
}

TEST_F(TiledMapTest, TilesOfALargeGridAreFoundOneFolderDown) {
  for (const std::string& folder : {std::string("map"), std::string("map/pointcloud_map.pcd")}) {
    write(folder + "/-1_0/a.pcd", {{1, 1, 0}});
    write(folder + "/0_0/b.pcd", {{11, 1, 0}});
    metadata("a.pcd: [0, 0]\nb.pcd: [10, 0]\n");
    EXPECT_TRUE(same_bits(load().points, std::vector<Point>{{1, 1, 0}, {11, 1, 0}})) << folder;
    fs::remove_all(path());
  }
}

TEST_F(TiledMapTest, MistakesOfALargeGridAreRefused) {
  write("map/-1_0/a.pcd", {{1, 1, 0}});
  metadata("a.pcd: [0, 0]\nb.pcd: [10, 0]\n");
  EXPECT_THAT(refusal_of_load(), HasSubstr("line 4: the tile 'b.pcd' is not there"));
  write("map/old/a.pcd", {{1, 1, 0}});
  EXPECT_THAT(refusal_of_load(), HasSubstr("line 3: the tile 'a.pcd' is in several folders"));
  fs::remove_all(path() / "old");
  write("other/b.pcd", {{11, 1, 0}});
  fs::create_directory_symlink(path("other"), path() / "0_0");
  EXPECT_THAT(refusal_of_load(), HasSubstr("line 4: the tile 'b.pcd' is outside the map's folder"));
}

TEST_F(MapFilesTest, AFolderWithoutMetadataIsReadWholeByName) {
  write("map/b.ply", {{2, 0, 0}});
  write("map/a.pcd", {{1, 0, 0}, {1, 5000, 0}});
  std::ofstream(path() / "readme.txt") << "no cloud";
  fs::create_directory(path() / "c.pcd");
  const MapFiles files(path());
  EXPECT_TRUE(files.in_tiles());
  EXPECT_FALSE(files.places_known());
  const LoadedMap map = files.load(MapArea{9999, 9999, 9999, 9999, 1});
  EXPECT_EQ(map.tiles, 2u);
  EXPECT_TRUE(same_bits(map.cloud.points, std::vector<Point>{{1, 0, 0}, {1, 5000, 0}, {2, 0, 0}}));
}

TEST_F(TiledMapTest, ATileBesideItsPlaceIsRefused) {
  write("map/a.pcd", {{1, 1, 0}, {kNan, 1, 0}, {12, 3, 0}, {1, -5, 2}});
  metadata("a.pcd: [0, 0]\n");
  EXPECT_THAT(
      refusal_of_load(),
      AllOf(HasSubstr("a.pcd: 2 of 4 points are outside its tile, x 0 to 10 m and y 0 to 10 m; the first "
                      "is (12, 3, 0)"),
            HasSubstr("other axes or units")));
  write("map/a.pcd", {{10.005F, -0.005F, 0}});
  EXPECT_EQ(refusal_of_load(), "") << "rounding";
}

TEST_F(TiledMapTest, EveryMistakeOfAFolderHasItsMessage) {
  fs::create_directory(path());
  EXPECT_THAT(refusal_of_load(), HasSubstr("has no point cloud and no pointcloud_map_metadata.yaml"));
  metadata("gone.pcd: [0, 0]\n");
  EXPECT_THAT(refusal_of_load(), HasSubstr("line 3: the tile 'gone.pcd' is not there"));
  metadata("a.txt: [0, 0]\n");
  EXPECT_THAT(refusal_of_load(), HasSubstr("line 3: the tile 'a.txt' is no point cloud by its name"));
  write("map/a.pcd", {{1, 1, 0}});
  std::ofstream(path() / "b.pcd") << "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n"
                                     "COUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n11 1 0\n";
  metadata("a.pcd: [0, 0]\nb.pcd: [10, 0]\n");
  EXPECT_THAT(refusal_of_load(), HasSubstr("b.pcd: its coordinates are float64, those of a.pcd float32"));
}

TEST_F(TiledMapTest, NamesAndLinksOutOfTheFolderAreRefused) {
  write("other/a.pcd", {{1, 1, 0}});
  for (const std::string& name : {std::string("../other/a.pcd"), path("other/a.pcd").string()}) {
    metadata("'" + name + "': [0, 0]\n");
    EXPECT_THAT(refusal_of_load(), HasSubstr("is outside the map's folder")) << name;
  }
  fs::create_symlink(path("other/a.pcd"), path() / "link.pcd");
  metadata("link.pcd: [0, 0]\n");
  EXPECT_THAT(refusal_of_load(), HasSubstr("'link.pcd' is outside the map's folder"));
  fs::remove(path() / kMetadataName);
  EXPECT_THAT(refusal_of_load(), HasSubstr("'link.pcd' is a link out of the folder"));
}

TEST_F(MapFilesTest, WithoutYamlCppMetadataIsRefusedWithTheRemedy) {
  if (map_metadata_readable()) GTEST_SKIP() << "built with yaml-cpp";
  write("map/a.pcd", {{1, 1, 0}});
  metadata("a.pcd: [0, 0]\n");
  EXPECT_THAT(refusal_of_load(),
              AllOf(HasSubstr("pointcloud_map_metadata.yaml: cannot be read"), HasSubstr("libyaml-cpp-dev")));
  fs::remove(path() / kMetadataName);
  EXPECT_EQ(load().size(), 1u);
}

TEST_F(MapFilesTest, AScanInTheFolderIsLeftOutOfTheMap) {
  write("map/scan.pcd", {{1, 2, 3}});
  const std::string only = input_error_of([&] { MapFiles(path()).leave_out(path("map/scan.pcd")); });
  EXPECT_THAT(only, HasSubstr("the scan is its only point cloud"));
  write("map/a.pcd", {{5, 5, 5}});
  MapFiles files(path());
  EXPECT_FALSE(files.leave_out(path("elsewhere.pcd")));
  EXPECT_TRUE(files.leave_out(path("map/../map/scan.pcd")));
  EXPECT_EQ(files.load().cloud.size(), 1u);
  EXPECT_FALSE(MapFiles(path("map/a.pcd")).leave_out(path("map/a.pcd")))
      << "a map of one file is what was asked for";
}

TEST_F(MapFilesTest, OneFileIsNoTile) {
  write("one.pcd", {{1, 1, 0}});
  const MapFiles files(path("one.pcd"));
  EXPECT_FALSE(files.in_tiles());
  EXPECT_EQ(files.load(MapArea{9999, 0, 9999, 0, 1}).tiles, 0u);
  EXPECT_EQ(files.load().cloud.size(), 1u);
}

}  // namespace
}  // namespace ndt::harness
