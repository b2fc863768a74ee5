#include "ndt/io/map_metadata.hpp"

#include "base/io_names.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

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

constexpr const char* kHead = "x_resolution: 20.0\ny_resolution: 10\n";

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

TEST_F(MapMetadataTest, EveryMistakeHasItsMessage) {
  struct Mistake {
    std::string text, part;
  };
  const std::string head = kHead;
  const Mistake mistakes[] = {
      {"x_resolution: [20\n", "is not YAML"},
      {"\tx: 1\n", "line 1: is not YAML"},
      {"", "has no names with values"},
      {"- A.pcd\n", "has no names with values"},
      {"just words\n", "has no names with values"},
      {"y_resolution: 10\nA.pcd: [0, 0]\n", "x_resolution is missing"},
      {"x_resolution: 10\nA.pcd: [0, 0]\n", "y_resolution is missing"},
      {"x_resolution: 0\ny_resolution: 10\n", "line 1: x_resolution = 0: must be in [0.1, 1000000]"},
      {"x_resolution: -20\ny_resolution: 10\n", "x_resolution = -20"},
      {"x_resolution: 20 m\ny_resolution: 10\n", "x_resolution: '20 m' is no number"},
      {"x_resolution: .nan\ny_resolution: 10\n", "x_resolution: '.nan' is no number"},
      {"x_resolution: nan\ny_resolution: 10\n", "x_resolution: 'nan' is no number"},
      {head + "x_resolution: 20\n", "line 3: x_resolution comes twice"},
      {head, "names no tile"},
      {head + "A.pcd: 3\n", "line 3: 'A.pcd' has no corner"},
      {head + "A.pcd: [1, 2, 3]\n", "line 3: 'A.pcd' has no corner"},
      {head + "A.pcd: {x: 1, y: 2}\n", "line 3: 'A.pcd' has no corner"},
      {head + "A.pcd: [1, two]\n", "line 3: A.pcd: 'two' is no number"},
      {head + "A.pcd: [1, [2]]\n", "line 3: A.pcd: '' is no number"},
      {head + "A.pcd: [1, 1e10]\n", "line 3: A.pcd: '1e10' is no number of metres up to"},
      {head + "[a, b]: [1, 2]\n", "line 3: '' has no corner"},
      {head + "A.pcd: [0, 0]\nA.pcd: [20, 0]\n", "line 4: 'A.pcd' was named in line 3 already"},
      {head + "A.pcd: [0, 0]\nB.pcd: [0, 0]\n", "line 4: 'B.pcd' at (0, 0) overlaps 'A.pcd' of line 3"},
      {head + "B.pcd: [19, -9]\nA.pcd: [0, 0]\n", "line 3: 'B.pcd' at (19, -9) overlaps 'A.pcd' of line 4"},
      {head + "A.pcd: [0, 0]\nC.pcd: [0, 100]\nB.pcd: [5, 9]\n", "'B.pcd' at (5, 9) overlaps 'A.pcd'"}};
  for (const Mistake& mistake : mistakes)
    EXPECT_THAT(refusal_of(mistake.text), AllOf(StartsWith(path().string() + ": "), HasSubstr(mistake.part)))
        << mistake.text;
  EXPECT_THAT(input_error_of([&] { read_map_metadata(path("none.yaml")); }), HasSubstr("none.yaml"));
}

TEST_F(MapMetadataTest, TilesThatTouchOrRoundDoNotOverlap) {
  EXPECT_EQ(refusal_of(std::string(kHead) + "A.pcd: [0, 0]\nB.pcd: [19.995, 0]\nC.pcd: [0, 9.995]\n"), "");
}

TEST_F(MapMetadataTest, DeepNestingAndAliasesAreRefused) {
  EXPECT_THAT(refusal_of(std::string(kHead) + "A.pcd: " + std::string(100000, '[')),
              HasSubstr("is not YAML"));
  EXPECT_THAT(refusal_of(std::string(kHead) + "A.pcd: &a [*a, *a]\n"), HasSubstr("A.pcd: '' is no number"));
  EXPECT_THAT(refusal_of(std::string(kHead) + "A.pcd: [*b, 1]\n"), HasSubstr("is not YAML"));
}

TEST_F(MapMetadataTest, TheExtensionTellsMetadata) {
  EXPECT_TRUE(is_map_metadata("a/pointcloud_map_metadata.yaml"));
  EXPECT_TRUE(is_map_metadata("X.YML"));
  EXPECT_FALSE(is_map_metadata("yaml"));
  EXPECT_FALSE(is_map_metadata("map.pcd"));
}

}  // namespace
}  // namespace ndt::harness
