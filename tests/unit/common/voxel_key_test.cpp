#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "ndt/voxel/voxel.hpp"

namespace ndt {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int kOutside = std::numeric_limits<int>::min();

int cell_on_axis(float v) {
  int cell = 0;
  return floor_to_cell(v, cell) ? cell : kOutside;
}

TEST(VoxelKey, TheLowerBoundaryBelongsToTheCell) {
  const float below_two = std::nextafter(2.0F, 0.0F), below_minus_two = std::nextafter(-2.0F, -kInf);
  const std::pair<float, int> cases[] = {{0.0F, 0},
                                         {-0.0F, 0},
                                         {1.0F, 1},
                                         {2.0F, 2},
                                         {below_two, 1},
                                         {0.5F, 0},
                                         {-0.5F, -1},
                                         {-1e-30F, -1},
                                         {-1.0F, -1},
                                         {-2.0F, -2},
                                         {-1.5F, -2},
                                         {1e-40F, 0},
                                         {below_minus_two, -3}};
  for (const auto& [value, cell] : cases) EXPECT_EQ(cell_on_axis(value), cell) << value;
}

TEST(VoxelKey, EqualsFloorOverTheWholeRange) {
  std::mt19937 random(14);
  std::uniform_real_distribution<float> value(-1.04e6F, 1.04e6F), small(-3, 3);
  for (int i = 0; i < 20000; ++i)
    for (const float v : {value(random), small(random), std::round(value(random))})
      ASSERT_EQ(cell_on_axis(v), static_cast<int>(std::floor(v))) << v;
}

TEST(VoxelKey, NothingBeyondTheLimitsOrNotANumberHasACell) {
  const float limit = kCellLimit;
  EXPECT_EQ(cell_on_axis(-limit), -kCellLimit);
  EXPECT_EQ(cell_on_axis(std::nextafter(limit, 0.0F)), kCellLimit - 1);
  for (const float v : {limit, std::nextafter(-limit, -kInf), 3e9F, -3e9F, kInf, -kInf, std::nanf("")})
    EXPECT_EQ(cell_on_axis(v), kOutside) << v;
}

TEST(VoxelKey, APointHasACellOnlyIfAllItsCoordinatesDo) {
  Cell cell;
  EXPECT_TRUE(cell_of({3.9F, -0.1F, 4.0F}, 0.5F, cell));
  EXPECT_EQ(cell, (Cell{1, -1, 2}));
  for (int axis = 0; axis < 3; ++axis)
    for (const float bad : {std::nanf(""), 2.2e6F, -2.2e6F}) {
      Vec3<float> p{1, 1, 1};
      (axis == 0 ? p.x : axis == 1 ? p.y : p.z) = bad;
      EXPECT_FALSE(cell_of(p, 0.5F, cell)) << "axis " << axis << " = " << bad;
    }
}

std::vector<Cell> awkward_cells() {
  std::vector<Cell> cells;
  const int values[] = {-kCellLimit, -kCellLimit + 1, -2, -1, 0, 1, 2, kCellLimit - 2, kCellLimit - 1};
  for (const int x : values)
    for (const int y : values)
      for (const int z : values) cells.push_back({x, y, z});
  return cells;
}

TEST(VoxelKey, UnpackInvertsPack) {
  for (const Cell& c : awkward_cells()) {
    const Cell back = unpack(pack(c));
    EXPECT_EQ(back, c) << c.x << ", " << c.y << ", " << c.z << " became " << back.x << ", " << back.y << ", "
                       << back.z;
  }
}

TEST(VoxelKey, KeysSortByZThenYThenX) {
  std::vector<Cell> cells = awkward_cells();
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return pack(a) < pack(b); });
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const Cell &a = cells[i - 1], &b = cells[i];
    EXPECT_LT(std::tie(a.z, a.y, a.x), std::tie(b.z, b.y, b.x)) << "at " << i;
  }
}

TEST(VoxelKey, KeysUseSixtyThreeBitsSoThatAllOnesIsNoKey) {
  EXPECT_EQ(pack({-kCellLimit, -kCellLimit, -kCellLimit}), 0U);
  EXPECT_EQ(pack({kCellLimit - 1, kCellLimit - 1, kCellLimit - 1}), (1ULL << 63) - 1);
}

}  // namespace
}  // namespace ndt
