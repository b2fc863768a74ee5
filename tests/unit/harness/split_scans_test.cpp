// Tests halves of scans: their truth is exact, no point is in both, and they are the same every time.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/errors.hpp"
#include "data/courtyard.hpp"
#include "data/density.hpp"
#include "data/load_dataset.hpp"
#include "data/sources.hpp"
#include "pcd_files.hpp"

namespace ndt::harness {
namespace {

Dataset halves(std::uint64_t seed = 1) { return split_scans(load_dataset("courtyard_20000"), seed); }

Point moved(const Point& p, const Transform& by) {
  return cast<float>(rotation_of(by) * cast<double>(p) + translation_of(by));
}

/// Returns the share of the map's first points that `back` moves onto points of the scan.
double share_on_scan(const Dataset& d, const Transform& back) {
  std::vector<Point> map = d.map(0).points;
  map.resize(500);
  const std::vector<Point> scan = courtyard_scan(20000).points;
  const auto on_scan = [&](const Point& p) {
    const Point moved_back = moved(p, back);
    return std::ranges::any_of(
        scan, [&](const Point& q) { return dot(moved_back - q, moved_back - q) < 1e-4f * 1e-4f; });
  };
  return static_cast<double>(std::ranges::count_if(map, on_scan)) / 500;
}

TEST(SplitScans, TheTruthMovesTheScansPointsOntoTheMap) {
  const Dataset d = halves();
  const Frame& frame = d.frames.at(0);
  EXPECT_GT(share_on_scan(d, inverse(*frame.truth)), 0.9) << "all but centroids of several points";
  EXPECT_LT(share_on_scan(d, inverse(frame.guesses.at(0).map_from_scan)), 0.01);
  EXPECT_GT(rotation_error_rad(*frame.truth, Transform{}), 0.2) << "turned away from the scan";
  EXPECT_LT(translation_error_m(frame.guesses[1].map_from_scan, *frame.truth), 2);
  EXPECT_TRUE(d.truth.exact);
  EXPECT_EQ(d.truth.accuracy_m, 0);
  EXPECT_EQ(d.kind, "split");
}

TEST(SplitScans, EveryPointIsInOneHalf) {
  const Dataset d = halves();
  const PointCloud whole = courtyard_scan(20000);
  using Key = std::tuple<float, float, float>;
  std::set<Key> of_scan, of_neither;
  for (const Point& p : whole.points) of_neither.insert({p.x, p.y, p.z});
  for (const Point& p : d.scan(0).points) {
    EXPECT_EQ(of_neither.erase({p.x, p.y, p.z}), 1u);
    of_scan.insert({p.x, p.y, p.z});
  }
  EXPECT_NEAR(static_cast<double>(of_scan.size()), 10000, 400);
  // The map's half is thinned to 0.1 m, so the map has a centroid in every cube that the rest is in, and no
  // other.
  PointCloud rest;
  for (const auto& [x, y, z] : of_neither) rest.points.push_back(moved({x, y, z}, *d.frames[0].truth));
  EXPECT_EQ(d.map(0).size(), prepare(rest, {.voxel_leaf_m = 0.1}).cloud.size());
}

TEST(SplitScans, OneSeedGivesTheSameBitsAndAnotherOtherHalves) {
  const Dataset a = halves(), b = load_dataset("split:courtyard_20000"),
                c = load_dataset("split:7:courtyard_20000");
  EXPECT_EQ(a.name, "split:courtyard_20000");
  EXPECT_EQ(c.name, "split:7:courtyard_20000");
  EXPECT_TRUE(same_bits(a.scan(0).points, b.scan(0).points) && same_bits(a.map(0).points, b.map(0).points));
  EXPECT_TRUE(std::ranges::equal(a.frames[0].truth->m, b.frames[0].truth->m));
  EXPECT_FALSE(same_bits(a.scan(0).points, c.scan(0).points));
  EXPECT_FALSE(std::ranges::equal(a.frames[0].truth->m, c.frames[0].truth->m));
}

TEST(SplitScans, TheQuerysHalfIsThinnedAsOtherScansAre) {
  const Dataset thin = load_dataset("split:courtyard_20000@1m");
  EXPECT_EQ(thin.name, "split:courtyard_20000@1m");
  EXPECT_EQ(density_of(thin), "1 m");
  EXPECT_LT(thin.scan(0).size(), 6000u);
  EXPECT_EQ(thin.map(0).size(), halves().map(0).size());
  EXPECT_THROW(load_dataset("split:nowhere"), UsageError);
}

}  // namespace
}  // namespace ndt::harness
