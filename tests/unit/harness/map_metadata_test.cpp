#include "ndt/io/map_metadata.hpp"

#include "base/io_names.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

class MapMetadataTest : public ScratchFiles {
 protected:
  MapMetadataTest() : ScratchFiles(kMetadataName) {}
  void SetUp() override {
    if (!map_metadata_readable()) GTEST_SKIP() << "built without yaml-cpp";
  }
  MapMetadata read(std::string_view text) const { return read_map_metadata(put(text)); }
  std::string refusal_of(std::string_view text) const {
    return input_error_of([&] { read(text); });
  }
};

TEST_F(MapMetadataTest, ReadsAutowaresFormAndSortsTilesByTheirCorners) {
  const MapMetadata map = read(
      "x_resolution: 20.0\ny_resolution: 10\n"
      "C.pcd: [1220, 2500] # a comment\n'B b.pcd': [1200, 2510.5]\nA.pcd:\n  - 1200\n  - -2500\n");
  EXPECT_EQ(map.x_resolution_m, 20);
  EXPECT_EQ(map.y_resolution_m, 10);
  ASSERT_EQ(map.tiles.size(), 3u);
  EXPECT_EQ(map.tiles[0].file, "A.pcd");
  EXPECT_EQ(map.tiles[1].file, "B b.pcd");
  EXPECT_EQ(map.tiles[2].file, "C.pcd");
  EXPECT_EQ(map.tiles[0].y, -2500);
  EXPECT_EQ(map.tiles[1].y, 2510.5);
  EXPECT_EQ(map.tiles[2].line, 3u);
}

TEST_F(MapMetadataTest, ReadsWhatItWrites) {
  const MapMetadata written{0.3, 1e6, {{"tile_-0.3_0.pcd", -0.3, 0, 0}, {"tile_0_0.pcd", 0, 0, 0}}};
  const MapMetadata map = read(map_metadata_text(written));
  EXPECT_EQ(map.x_resolution_m, 0.3);
  EXPECT_EQ(map.y_resolution_m, 1e6);
  ASSERT_EQ(map.tiles.size(), 2u);
  EXPECT_EQ(map.tiles[0].file, "tile_-0.3_0.pcd");
  EXPECT_EQ(map.tiles[0].x, -0.3);
}

TEST_F(MapMetadataTest, DeepNestingAndAMissingFileAreRefused) {
  EXPECT_THAT(refusal_of("x_resolution: 20\ny_resolution: 10\nA.pcd: " + std::string(100000, '[')),
              HasSubstr("is not YAML"));
  EXPECT_THAT(input_error_of([&] { read_map_metadata(path("none.yaml")); }), HasSubstr("none.yaml"));
}

TEST_F(MapMetadataTest, TheExtensionTellsMetadata) {
  EXPECT_TRUE(is_map_metadata("a/pointcloud_map_metadata.yaml"));
  EXPECT_TRUE(is_map_metadata("X.YML"));
  EXPECT_FALSE(is_map_metadata("yaml"));
  EXPECT_FALSE(is_map_metadata("map.pcd"));
}

}  // namespace
}  // namespace ndt::harness
