// copy_finite() against the obvious slow way to the same facts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "message_of.hpp"
#include "ndt/align/usable_points.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {
namespace {

constexpr float kNanF = std::numeric_limits<float>::quiet_NaN(),
                kInfF = std::numeric_limits<float>::infinity();
constexpr float kCoarse_m = 131072;

struct Slow {
  std::vector<Point> points;
  CopiedPoints facts;
};

Slow slowly(const PointCloud& cloud, const Vec3<double>& origin, float coarse_from_m) {
  Slow out;
  const Vec3<double> shift = cloud.origin - origin;
  double sum = 0;
  for (Point p : cloud.points) {
    if (shift.x != 0 || shift.y != 0 || shift.z != 0) p = cast<float>(cast<double>(p) + shift);
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) {
      ++out.facts.dropped;
      continue;
    }
    out.points.push_back(p);
    if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) >= coarse_from_m) ++out.facts.coarse;
    sum += std::hypot(double{p.x}, double{p.y}, double{p.z});
  }
  out.facts.points = out.points.size();
  out.facts.mean_range_m = out.points.empty() ? 0 : sum / static_cast<double>(out.points.size());
  return out;
}

PointCloud random_cloud(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<float> coordinate(-80, 80);
  PointCloud cloud;
  for (std::size_t i = 0; i < n; ++i) {
    const float x = coordinate(random), y = coordinate(random), z = coordinate(random);
    cloud.points.push_back({x, y, z});
  }
  return cloud;
}

/// Everything as the slow way has it, nothing written outside the room, and the mean range that of the copy.
void expect_as_slowly(const PointCloud& cloud, const std::string& where, const Vec3<double>& origin = {},
                      float coarse_from_m = kCoarse_m) {
  constexpr Point kUntouched{-1.25F, 7.5F, -99};
  std::vector<Point> room(cloud.size() + 1, kUntouched);
  const CopiedPoints got = copy_finite(cloud, origin, coarse_from_m, room.data());
  const Slow want = slowly(cloud, origin, coarse_from_m);
  ASSERT_EQ(got.points, want.points.size()) << where;
  EXPECT_EQ(got.dropped, want.facts.dropped) << where;
  EXPECT_EQ(got.coarse, want.facts.coarse) << where;
  EXPECT_NEAR(got.mean_range_m, want.facts.mean_range_m, 1e-6 * want.facts.mean_range_m) << where;
  EXPECT_EQ(got.mean_range_m, mean_range_m(want.points)) << where;
  EXPECT_TRUE(want.points.empty() ||
              std::memcmp(room.data(), want.points.data(), want.points.size() * sizeof(Point)) == 0)
      << where;
  EXPECT_EQ(std::memcmp(&room.back(), &kUntouched, sizeof(Point)), 0) << where;
}

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> out;
  for (std::size_t n = 0; n <= 70; ++n) out.push_back(n);
  for (const std::size_t n : {255, 256, 257, 271, 272, 511, 512, 513, 1000, 5000}) out.push_back(n);
  return out;
}

TEST(CopyFinite, OfOrdinaryCloudsOfEverySizeIsAsSlowly) {
  for (const std::size_t n : sizes()) {
    expect_as_slowly(random_cloud(n), std::to_string(n));
    PointCloud cloud = random_cloud(n);
    cloud.origin = {7, -30, 0.1};
    expect_as_slowly(cloud, std::to_string(n) + " shifted");
    expect_as_slowly(cloud, std::to_string(n) + " at the frame's origin", cloud.origin);
  }
}

TEST(CopyFinite, WithOneOddPointAnywhereIsAsSlowly) {
  const Point odd[] = {{kNanF, 0, 0},         {0, kInfF, 0},     {1, 2, -kInfF},    {70000, 0, 0},
                       {0, -131072, 0},       {0, 0, 5e6F},      {131071, 1e5F, 0}, {0, 3e38F, 3e38F},
                       {3e38F, kNanF, 3e38F}, {1e-30F, 0, -0.0F}};
  for (const Point& p : odd)
    for (std::size_t at = 0; at < 530; at += at < 40 ? 1 : 7) {
      PointCloud cloud = random_cloud(530);
      cloud.points[at] = p;
      expect_as_slowly(cloud, std::to_string(p.x) + " at " + std::to_string(at));
    }
}

TEST(CopyFinite, WithManyOddPointsIsAsSlowly) {
  for (const std::size_t period : {1, 2, 3, 5, 16, 17, 100})
    for (const std::size_t n : sizes())
      for (const float x : {kNanF, -kInfF, 131072.0F, 3e38F}) {
        PointCloud cloud = random_cloud(n);
        for (std::size_t i = 0; i < n; i += period) cloud.points[i].y = x;
        expect_as_slowly(cloud,
                         std::to_string(x) + " every " + std::to_string(period) + " of " + std::to_string(n));
        expect_as_slowly(cloud, "near counts as coarse", {}, 32);
        cloud.origin = {1e5, 0, 0};
        expect_as_slowly(cloud, "shifted");
      }
}

TEST(CopyFinite, DropsPointsWithoutATraceInTheMeanRange) {
  const PointCloud clean = random_cloud(5000);
  PointCloud dirty;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if (i % 7 == 3) dirty.points.push_back({0, kNanF, 1});
    dirty.points.push_back(clean.points[i]);
  }
  std::vector<Point> room(dirty.size());
  EXPECT_EQ(copy_finite(dirty, {}, kCoarse_m, room.data()).mean_range_m, mean_range_m(clean.points));
}

std::vector<Point> used(const PointCloud& scan) { return scan_points(scan, {}, "align").points; }

TEST(CopyScanPoints, LeavesOutWhatIsBeyondAKilometreAndAThousandMedianRanges) {
  PointCloud scan = random_cloud(600);
  const std::vector<Point> measured = scan.points;
  for (const Point& p :
       {Point{0, 0, 3e38F}, Point{-2e5F, 0, 0}, Point{kNanF, 0, 0}, Point{3e38F, 3e38F, 3e38F}})
    scan.points.insert(scan.points.begin() + static_cast<std::ptrdiff_t>(scan.size() / 2), p);
  std::vector<Point> room(scan.size());
  const CopiedPoints copied = copy_scan_points(scan, {}, "align", room.data());
  EXPECT_EQ(copied.points, measured.size());
  EXPECT_EQ(copied.dropped, 4);
  EXPECT_EQ(copied.mean_range_m, mean_range_m(measured));
  EXPECT_EQ(std::memcmp(room.data(), measured.data(), measured.size() * sizeof(Point)), 0);
  const std::vector<std::size_t> indices = usable_indices(scan);
  ASSERT_EQ(indices.size(), measured.size());
  for (std::size_t k = 0; k < indices.size(); ++k) EXPECT_EQ(scan.points[indices[k]].x, measured[k].x) << k;
}

TEST(CopyScanPoints, KeepsWhatASensorMayMeasureAndScansFarFromTheirOrigin) {
  PointCloud scan = random_cloud(600);
  scan.points[7] = {20000, 0, 0};
  EXPECT_EQ(used(scan).size(), 600U) << "under a thousand median ranges";
  for (const double metres : {4000.0, 1e5}) {
    PointCloud away = random_cloud(600);
    away.origin = {metres, 0, 0};
    EXPECT_EQ(used(away).size(), 600U) << metres;
    EXPECT_EQ(usable_indices(away).size(), 600U) << metres;
  }
  PointCloud zeros = random_cloud(100);
  zeros.points.resize(600);  // no return, as other drivers write it
  zeros.points.push_back({3e38F, 0, 0});
  EXPECT_EQ(used(zeros).size(), 600U) << "a median of 0 m says nothing";
  EXPECT_TRUE(used({}).empty());
}

TEST(CopyScanPoints, RefusesExactlyWhatMostlyLiesWhereFloatsAreTooCoarse) {
  for (const std::size_t n : {1, 2, 3, 4, 31, 32, 33, 600, 601})
    for (std::size_t coarse = 0; coarse <= n; coarse += coarse + 3 < n / 2 || coarse > n / 2 + 3 ? 7 : 1) {
      PointCloud cloud = random_cloud(n);
      for (std::size_t i = 0; i < coarse; ++i)
        cloud.points[(i * 2) % n + (i * 2 >= n && n % 2 == 0 ? 1 : 0)].z = kCoarse_m;
      cloud.points.push_back({kNanF, 5e6F, 0});
      std::vector<Point> room(cloud.size());
      const auto copy = [&] { return copy_scan_points(cloud, {}, "align", room.data()); };
      ASSERT_EQ(slowly(cloud, {}, kCoarse_m).facts.coarse, coarse);
      EXPECT_EQ(too_coarse(cloud.points, coarsest_step_m({})), 2 * coarse > n) << coarse << " of " << n;
      if (2 * coarse > n)
        EXPECT_THROW(copy(), InputError) << coarse << " of " << n;
      else
        EXPECT_EQ(copy().points + static_cast<std::size_t>(copy().dropped), cloud.size())
            << coarse << " of " << n;
    }
}

TEST(CopyScanPoints, SaysHowFarApartFloatsAreNearTheMedianFinitePoint) {
  PointCloud cloud;
  for (const float x : {10.0F, 20.0F, 262144.0F, 300000.0F, 5e6F, kNanF, kInfF})
    cloud.points.push_back({1, 2, x});
  std::vector<Point> room(cloud.size());
  EXPECT_EQ(message_of<InputError>([&] { copy_scan_points(cloud, {}, "align", room.data()); }),
            "align: precision_lost: the float32 coordinates of the scan are 0.03125 m apart near 262144 m, "
            "more than the 0.01 m allowed; give the scan relative to its sensor: store double coordinates "
            "(PCD `F 8`) "
            "and shift "
            "them, or export it so");
}

}  // namespace
}  // namespace ndt
