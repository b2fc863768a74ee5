// Radius neighbours through the map's index against a search through all centroids, with the same float32
// distance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "data/courtyard.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace ndt {
namespace {

using Found = std::vector<std::uint32_t>;

bool inside(const VoxelMapView& map, const Vec3<float>& p, const Vec3<float>& centroid) {
  const Vec3<float> d = p - centroid;
  return (d.x * d.x + d.y * d.y) + d.z * d.z < map.squared_radius;
}

Found through_index(const VoxelMapView& map, const Vec3<float>& p) {
  Found found;
  const NearVoxels range = map.near_voxels(p);
  for (int i = 0; i < range.count; ++i)
    if (inside(map, p, range.first[i].centroid)) found.push_back(range.first[i].voxel);
  std::sort(found.begin(), found.end());
  return found;
}

Found through_all(const VoxelMapView& map, const Vec3<float>& p) {
  Found found;
  for (int i = 0; i < map.voxel_count; ++i)
    if (inside(map, p, map.voxels[i].centroid)) found.push_back(static_cast<std::uint32_t>(i));
  return found;
}

float step(float value, int steps) {
  for (; steps > 0; --steps) value = std::nextafter(value, std::numeric_limits<float>::infinity());
  for (; steps < 0; ++steps) value = std::nextafter(value, -std::numeric_limits<float>::infinity());
  return value;
}

using Queries = std::vector<Vec3<float>>;

void add_random(Queries& queries, std::mt19937& random, float reach) {
  std::uniform_real_distribution<float> value(-reach, reach), height(-3, 12);
  for (int i = 0; i < 3000; ++i) queries.push_back({value(random), value(random), height(random)});
}

/// Corners, edges and faces of cells, exactly and one float step to either side.
void add_cell_borders(Queries& queries, std::mt19937& random, float resolution_m) {
  std::uniform_int_distribution<int> cell(-20, 20), nudge(-1, 1);
  for (int i = 0; i < 3000; ++i) {
    const auto border = [&] { return step(static_cast<float>(cell(random)) * resolution_m, nudge(random)); };
    queries.push_back({border(), border(), i % 2 == 0 ? border() : 0.3F * resolution_m});
  }
}

/// Around a voxel's centroid at the radius, from three float steps inside to three outside.
void add_spheres(Queries& queries, std::mt19937& random, const VoxelMapView& map, float resolution_m) {
  std::uniform_int_distribution<int> voxel(0, map.voxel_count - 1), nudge(-3, 3);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 3000; ++i) {
    const Vec3<float> c = map.voxels[voxel(random)].centroid;
    if (i % 3 == 0) {
      const float sign = i % 2 == 0 ? 1.0F : -1.0F;
      queries.push_back({step(c.x + sign * resolution_m, nudge(random)), c.y, c.z});
      queries.push_back({c.x, step(c.y + sign * resolution_m, nudge(random)), c.z});
      queries.push_back({c.x, c.y, step(c.z + sign * resolution_m, nudge(random))});
    } else {
      const Vec3<float> d{normal(random), normal(random), normal(random)};
      const float length = std::sqrt(dot(d, d));
      queries.push_back(c + step(resolution_m / length, nudge(random)) * d);
    }
  }
}

Queries queries_for(const VoxelMapView& map, float resolution_m) {
  std::mt19937 random(18);
  Queries queries;
  add_random(queries, random, 40);
  add_cell_borders(queries, random, resolution_m);
  add_spheres(queries, random, map, resolution_m);
  return queries;
}

void expect_equal_to_brute_force(const VoxelMap& map, double resolution_m, const std::string& name) {
  const VoxelMapView view = map.view();
  std::size_t pairs = 0;
  for (const Vec3<float>& p : queries_for(view, static_cast<float>(resolution_m))) {
    const Found expected = through_all(view, p);
    pairs += expected.size();
    ASSERT_EQ(through_index(view, p), expected)
        << name << ", " << resolution_m << " m, point " << p.x << ", " << p.y << ", " << p.z;
  }
  EXPECT_GT(pairs, 3000U) << name << ", " << resolution_m << " m: too few neighbours to prove anything";
}

constexpr double kResolutions_m[] = {0.5, 1.0, 2.0, 3.7};

AlignOptions options_at(double resolution_m) {
  AlignOptions options;
  options.resolution_m = resolution_m;
  options.min_points = 3;  // so that half a metre has voxels as well
  return options;
}

TEST(VoxelNeighbours, EqualBruteForceThroughTheDenseWindow) {
  for (const double resolution_m : kResolutions_m) {
    const VoxelMap map(harness::courtyard_map(), options_at(resolution_m));
    ASSERT_EQ(map.view().outside, nullptr) << resolution_m;
    expect_equal_to_brute_force(map, resolution_m, "window");
  }
}

TEST(VoxelNeighbours, EqualBruteForceThroughTheHashAlone) {
  for (const double resolution_m : kResolutions_m) {
    const VoxelMap map(harness::courtyard_map(), options_at(resolution_m), {.window_cells = 0});
    ASSERT_EQ(map.view().window.nx, 0U) << resolution_m;
    ASSERT_NE(map.view().outside, nullptr) << resolution_m;
    expect_equal_to_brute_force(map, resolution_m, "hash");
  }
}

TEST(VoxelNeighbours, EqualBruteForceWhereTheWindowHoldsThePartOfTheMap) {
  for (const double resolution_m : kResolutions_m) {
    const VoxelMap whole(harness::courtyard_map(), options_at(resolution_m));
    const CellWindow w = whole.view().window;
    const VoxelMap map(harness::courtyard_map(), options_at(resolution_m),
                       {.window_cells = std::uint64_t{w.nx} * w.ny * w.nz / 2});
    ASSERT_GT(map.view().window.nx, 0U) << resolution_m;
    ASSERT_NE(map.view().outside, nullptr) << resolution_m;
    expect_equal_to_brute_force(map, resolution_m, "window and hash");
  }
}

TEST(VoxelNeighbours, EqualBruteForceAKilometreFromTheOrigin) {
  // The map origin is still 0, so cells and centroids are at their coarsest float32.
  for (const double resolution_m : kResolutions_m) {
    const VoxelMap map(harness::make_courtyard({.offset_m = {960, -960, 900}}), options_at(resolution_m));
    ASSERT_EQ(map.origin().x, 0);
    const VoxelMapView view = map.view();
    std::mt19937 random(19);
    Queries queries;
    add_spheres(queries, random, view, static_cast<float>(resolution_m));
    for (const Vec3<float>& p : queries)
      ASSERT_EQ(through_index(view, p), through_all(view, p))
          << resolution_m << " m, point " << p.x << ", " << p.y << ", " << p.z;
  }
}

/// Voxels whose centroid lies one radius from a corner of a cell, in random directions and along the axes, so
/// that only the corner of that cell is in reach. Far enough apart to be alone.
struct CornerScene {
  PointCloud cloud;
  Queries corners;

  CornerScene(float resolution_m, int first_cell) {
    std::mt19937 random(20);
    std::normal_distribution<float> normal;
    for (int i = 0; i < 2000; ++i) {
      const auto corner_at = [&](int k) { return static_cast<float>(first_cell + 5 * k) * resolution_m; };
      const Vec3<float> corner{corner_at(i % 13), corner_at(i / 13 % 13), corner_at(i / 169)};
      Vec3<float> d{normal(random), normal(random), normal(random)};
      if (i % 4 == 0) d.x = d.y = 0;
      if (i % 4 == 1) d.z = 0;
      const float length = std::sqrt(dot(d, d));
      const Vec3<float> centroid = corner + step(resolution_m / length, i % 7 - 3) * d;
      cloud.points.insert(cloud.points.end(), 4,
                          centroid);  // the float mean of four equal points is that point
      corners.push_back(corner);
    }
  }
};

TEST(VoxelNeighbours, EqualBruteForceWhereOnlyTheCornerOfACellIsInReach) {
  for (const double resolution_m : {0.5, 0.7, 1.0, 2.0, 3.7})
    for (const int first_cell : {-30, 200}) {
      const CornerScene scene(static_cast<float>(resolution_m), first_cell);
      const VoxelMap map(scene.cloud, options_at(resolution_m));
      ASSERT_EQ(map.origin().x, 0);
      const VoxelMapView view = map.view();
      std::size_t inside_count = 0;
      for (const Vec3<float>& c : scene.corners)
        for (int nudge = 0; nudge < 27; ++nudge) {
          const Vec3<float> p{step(c.x, nudge % 3 - 1), step(c.y, nudge / 3 % 3 - 1),
                              step(c.z, nudge / 9 - 1)};
          const Found expected = through_all(view, p);
          inside_count += expected.size();
          ASSERT_EQ(through_index(view, p), expected)
              << resolution_m << " m, corner " << c.x << ", " << c.y << ", " << c.z << ", nudge " << nudge;
        }
      EXPECT_GT(inside_count, 10000U) << resolution_m << " m";
      EXPECT_LT(inside_count, 44000U) << resolution_m << " m: the corners are not at the radius";
    }
}

TEST(VoxelNeighbours, PointsOutsideEverythingHaveNone) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const Queries nowhere = {{500, 0, 0},  {0, -500, 0},  {0, 0, 500},   {1e5F, 1e5F, 1e5F},
                           {3e6F, 0, 0}, {-3e6F, 0, 0}, {3e38F, 0, 0}, {nan, 0, 0},
                           {0, nan, 0},  {0, 0, nan},   {inf, 0, 0},   {0, -inf, 0}};
  for (const std::uint64_t cells : {kWindowCells, std::uint64_t{0}, std::uint64_t{2000}}) {
    const VoxelMap map(harness::courtyard_map(), {}, {.window_cells = cells});
    for (const Vec3<float>& p : nowhere)
      EXPECT_EQ(map.view().near_voxels(p).count, 0)
          << p.x << ", " << p.y << ", " << p.z << " with window of " << cells;
  }
}

TEST(VoxelNeighbours, ThePointExactlyAtTheRadiusIsNotOne) {
  PointCloud cloud;
  for (const float d : {-0.5F, 0.5F}) {
    cloud.points.push_back({1 + d, 1, 1});
    cloud.points.push_back({1, 1 + d, 1});
    cloud.points.push_back({1, 1, 1 + d});
  }
  for (const std::uint64_t cells : {kWindowCells, std::uint64_t{0}}) {
    const VoxelMap map(cloud, {}, {.window_cells = cells});
    EXPECT_EQ(through_index(map.view(), {3, 1, 1}), Found{}) << cells;
    EXPECT_EQ(through_index(map.view(), {step(3, -1), 1, 1}), Found{0}) << cells;
    EXPECT_EQ(through_index(map.view(), {1, -1, 1}), Found{}) << cells;
    EXPECT_EQ(through_index(map.view(), {1, step(-1, 2), 1}), Found{0})
        << cells;  // one step away, 1 - y still rounds to 2
  }
}

TEST(VoxelNeighbours, TheWindowFitsItsBudgetAndThreeByThreeByThreeCellsAreEnough) {
  for (const std::uint64_t cells : {std::uint64_t{100}, std::uint64_t{5000}, std::uint64_t{20000}}) {
    const VoxelMap map(harness::courtyard_map(), {}, {.window_cells = cells});
    const CellWindow w = map.view().window;
    EXPECT_LE(std::uint64_t{w.nx} * w.ny * w.nz, cells);
  }
}

struct OneOf {
  int lane, lanes;

  int rank() const { return lane; }
  int width() const { return lanes; }
};

TEST(VoxelNeighbours, LanesShareTheCellsThatListAVoxelWhateverTheirNumber) {
  std::mt19937 random(6);
  std::uniform_real_distribution<float> within(-40, 40);
  for (int turn = 0; turn < 300; ++turn) {
    // Every third centroid is on a cell's border, from which rounding reaches one cell farther.
    const float x = within(random), y = turn % 3 == 0 ? std::floor(x) : within(random), z = within(random);
    const CandidateCells listing(1);
    const auto keys = [&](int lanes) {
      std::vector<std::uint64_t> found;
      for (int lane = 0; lane < lanes; ++lane)
        listing.for_each({x, y, z}, OneOf{lane, lanes}, [&](const Cell& c) { found.push_back(pack(c)); });
      return found;
    };
    const std::vector<std::uint64_t> all = keys(1);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    for (const int lanes : {2, 5, 32, 64}) {
      std::vector<std::uint64_t> shared = keys(lanes);
      std::sort(shared.begin(), shared.end());
      EXPECT_EQ(shared, all) << lanes << " lanes, " << x << " " << y << " " << z;
    }
  }
}

}  // namespace
}  // namespace ndt
