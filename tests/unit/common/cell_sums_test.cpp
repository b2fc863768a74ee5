// The sums of the cells against a plain loop over points, whatever part of the map has counters.
#include "ndt/voxel/cell_sums.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "message_of.hpp"
#include "ndt/core/error.hpp"

namespace ndt {
namespace {

constexpr double kResolution = 0.7;
constexpr std::uint64_t kAll = std::uint64_t{1} << 40;

MapPoints view(const std::vector<Point>& points, const Vec3<double>& shift = {}) {
  return {points.data(), points.size(), shift, {}};
}

/// A dense cloud and a few points far from it.
std::vector<Point> cloud_with_outliers() {
  std::mt19937 random(7);
  std::normal_distribution<float> near(0, 4);
  std::uniform_real_distribution<float> far(-20000, 20000);
  std::vector<Point> points;
  for (int i = 0; i < 20000; ++i) {
    points.push_back({near(random), near(random), 0.3F * near(random)});
    if (i % 2000 == 0) points.insert(points.end(), 4, {far(random), far(random), far(random)});
  }
  return points;
}

SummedCells by_hand(const MapPoints& points, double resolution_m, int min_points) {
  std::map<std::uint64_t, VoxelSums> sums;
  for (std::size_t i = 0; i < points.size; ++i) {
    Cell cell;
    EXPECT_TRUE(cell_of(points[i], 1.0F / static_cast<float>(resolution_m), cell));
    add_point(sums[pack(cell)], points[i], centre_of(cell, resolution_m));
  }
  SummedCells out;
  out.occupied = static_cast<std::int64_t>(sums.size());
  for (const auto& [key, one] : sums)
    if (one.n >= min_points) out.cells.push_back({unpack(key), one});
  return out;
}

bool same_bits(const VoxelSums& a, const VoxelSums& b) {
  return a.n == b.n && std::memcmp(&a.centroid_sum, &b.centroid_sum, sizeof a.centroid_sum) == 0 &&
         std::memcmp(&a.sum, &b.sum, sizeof a.sum) == 0 &&
         std::memcmp(&a.second, &b.second, sizeof a.second) == 0;
}

void expect_same(const SummedCells& got, const SummedCells& want, const std::string& about) {
  EXPECT_EQ(got.occupied, want.occupied) << about;
  ASSERT_EQ(got.cells.size(), want.cells.size()) << about;
  for (std::size_t i = 0; i < want.cells.size(); ++i) {
    ASSERT_EQ(got.cells[i].cell, want.cells[i].cell) << about << ", cell " << i;
    ASSERT_TRUE(same_bits(got.cells[i].sums, want.cells[i].sums)) << about << ", cell " << i;
  }
}

TEST(CellSums, AreThoseOfALoopOverThePointsWhateverHasCounters) {
  const std::vector<Point> points = cloud_with_outliers();
  for (const int min_points : {0, 1, 4, 6, 50})
    for (const std::uint64_t max_cells :
         {std::uint64_t{0}, std::uint64_t{200}, std::uint64_t{5000}, std::uint64_t{1} << 20})
      expect_same(sum_cells(view(points), kResolution, min_points, max_cells),
                  by_hand(view(points), kResolution, min_points),
                  std::to_string(min_points) + " points, " + std::to_string(max_cells) + " counters");
}

TEST(CellSums, OfShiftedPointsAreThoseOfThePointsThere) {
  std::vector<Point> points = cloud_with_outliers();
  const Vec3<double> shift{0.125, -3.5, 10};
  const MapPoints shifted = view(points, shift);
  expect_same(sum_cells(shifted, kResolution, 4, 5000), by_hand(shifted, kResolution, 4), "shifted");
}

TEST(CellSums, OfNoPointsAreNone) {
  const SummedCells none = sum_cells({}, kResolution, 6, kAll);
  EXPECT_TRUE(none.cells.empty());
  EXPECT_EQ(none.occupied, 0);
}

TEST(CellSums, RefuseTheFirstPointOutsideTheLimits) {
  const float far = kCellLimit * static_cast<float>(kResolution) * 1.5F;
  const std::vector<Point> points{{1, 2, 3}, {0, far, 0}, {-far, 0, 0}};
  const std::string message =
      message_of<InputError>([&] { (void)sum_cells(view(points), kResolution, 1, 5000); });
  EXPECT_NE(message.find("a point at (0, 1101004.8, 0) m"), std::string::npos) << message;
}

}  // namespace
}  // namespace ndt
