// The search for places held to a search of every pose, and to its promises about threads, time and edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <stop_token>
#include <tuple>

#include "ndt/initial_pose/place_search.hpp"
#include "ndt/initial_pose/scan_sketch.hpp"
#include "yard.hpp"

namespace ndt::initial_pose {
namespace {

struct Scored {
  int score = 0;
  Pose pose;
};

/// The sum of the values of the cells of all points at a pose.
int sum_at(const PlacePyramid& pyramid, const ScanSketch& sketch, const Pose& pose) {
  int sum = 0;
  for (const Vec3<double>& p : sketch.points) {
    const double c = std::cos(pose.yaw), s = std::sin(pose.yaw);
    const auto cell = [&](double at, double corner) {
      return static_cast<int>(std::floor((at - corner) / pyramid.cell_m()));
    };
    sum += pyramid.values().level(0).at(cell(pose.x + c * p.x - s * p.y, pyramid.corner().x),
                                        cell(pose.y + s * p.x + c * p.y, pyramid.corner().y),
                                        cell(pose.z + p.z, pyramid.corner().z));
  }
  return sum;
}

/// Scores every pose of a region whose sides are whole cells, and keeps the best of every neighbourhood.
std::vector<Scored> exhaustive(const PlacePyramid& pyramid, const PointCloud& scan, const PlaceRegion& region,
                               int headings, int wanted) {
  const double cell = pyramid.cell_m();
  const ScanSketch sketch = sketch_of(scan, rotation_of(Pose{}), cell);
  const auto steps = [&](double low, double high) {
    return static_cast<int>(std::lround((high - low) / cell));
  };
  const int sector = std::max(1, static_cast<int>(headings * 15.0 / 360));
  std::map<std::tuple<int, int, int, int>, Scored> best;
  for (int k = 0; k < headings; ++k)
    for (int z = 0; z <= steps(region.low.z, region.high.z); ++z)
      for (int y = 0; y <= steps(region.low.y, region.high.y); ++y)
        for (int x = 0; x <= steps(region.low.x, region.high.x); ++x) {
          const Pose pose{region.low.x + x * cell,
                          region.low.y + y * cell,
                          region.low.z + z * cell,
                          0,
                          0,
                          std::remainder(2 * kPi * k / headings, 2 * kPi)};
          const int sum = sum_at(pyramid, sketch, pose);
          Scored& kept = best[{k / sector, z / 4, y / 4, x / 4}];
          if (sum > kept.score) kept = {sum, pose};
        }
  std::vector<Scored> all;
  int most = 0;
  for (const auto& [neighbourhood, scored] : best) all.push_back(scored), most = std::max(most, scored.score);
  std::erase_if(all, [&](const Scored& s) { return s.score < std::max(1, most * 70 / 100); });
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  if (all.size() > static_cast<std::size_t>(wanted)) all.resize(static_cast<std::size_t>(wanted));
  return all;
}

TEST(Places, TheFirstIsTheBestOfAllPosesAndTheRestFollow) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const PlacePyramid pyramid(random_cloud(random, 60 + 10 * static_cast<int>(seed), {13, 9, 3}), 1);
    PointCloud scan = random_cloud(random, 40, {4, 4, 2});
    scan.points.push_back({0.1F, 0.1F, 3});  // nothing below the sensor: all heights of the box
    const PlaceRegion region{{0.25, 0.25, 0.25}, {12.25, 8.25, 2.25}};
    HostPool pool(2);
    for (const int wanted : {1, 5, 60}) {
      const PlacesFound found = find_places(pyramid, scan, {region, {}, wanted}, pool);
      const auto expected = exhaustive(pyramid, scan, region, found.headings, wanted);
      ASSERT_EQ(found.places.size(), expected.size()) << seed;
      EXPECT_EQ(found.coverage, 1);
      EXPECT_EQ(found.lattice, 13.0 * 9 * 3 * found.headings);
      const double most = 255.0 * static_cast<double>(sketch_of(scan, rotation_of(Pose{}), 1).points.size());
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_DOUBLE_EQ(found.places[k].score, expected[k].score / most) << seed << " place " << k;
      EXPECT_NEAR(translation_error_m(to_transform(found.places[0].pose), to_transform(expected[0].pose)), 0,
                  1e-9)
          << seed;
      EXPECT_NEAR(rotation_error_rad(to_transform(found.places[0].pose), to_transform(expected[0].pose)), 0,
                  1e-6)
          << seed;
    }
  }
}

TEST(Places, AnyNumberOfThreadsFindsTheSame) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 0.5);
  HostPool one(1);
  const PlaceQuery query{whole_map(pyramid), {}, 40};
  const PlacesFound expected = find_places(pyramid, yard.scan, query, one);
  EXPECT_GT(expected.places.size(), 1U);
  for (const int threads : {2, 3, 8}) {
    HostPool pool(threads);
    expect_same(find_places(pyramid, yard.scan, query, pool), expected);
  }
}

TEST(Places, TheHeightComesFromTheGroundsOfScanAndMap) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 0.5);
  HostPool pool(2);
  const PlacesFound found = find_places(pyramid, yard.scan, {whole_map(pyramid), {}, 40}, pool);
  ASSERT_TRUE(found.ground_below_m);
  EXPECT_NEAR(*found.ground_below_m, 1.45, 0.2);
  const Pose& first = found.places[0].pose;
  EXPECT_NEAR(first.x, yard.truth.x, 0.75);
  EXPECT_NEAR(first.y, yard.truth.y, 0.75);
  EXPECT_NEAR(first.z, yard.truth.z, 0.75);
  EXPECT_NEAR(first.yaw, yard.truth.yaw, 0.1);
}

TEST(Places, AHeadingPriorLeavesTheOthersOut) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 0.5);
  HostPool pool(2);
  PosePrior prior;
  prior.mean = {13, 9.5, 1.5, 0, 0, yard.truth.yaw - 0.1};
  prior.sigma_yaw_rad = 0.1;
  const PlacesFound found = find_places(pyramid, yard.scan, {around(prior), prior.mean, 40}, pool);
  EXPECT_LT(translation_error_m(to_transform(found.places[0].pose), to_transform(yard.truth)), 1);
  prior.mean.yaw = yard.truth.yaw + 2;  // misses
  const PlacesFound missed = find_places(pyramid, yard.scan, {around(prior), prior.mean, 40}, pool);
  EXPECT_LT(missed.headings, found.headings + 1);
  EXPECT_LT(missed.places[0].score, found.places[0].score - 0.2);
  for (const Place& place : missed.places)
    EXPECT_LT(std::abs(std::remainder(place.pose.yaw - prior.mean.yaw, 2 * kPi)), 0.31);
}

TEST(Places, AHeadingThatIsKnownIsTheOnlyOne) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 1);
  HostPool pool(2);
  PlaceRegion region = whole_map(pyramid);
  for (const double reach_rad : {0.0, 1e-300, 1e-12}) {
    region.heading_rad = reach_rad;
    const PlacesFound found = find_places(pyramid, yard.scan, {region, {0, 0, 0, 0, 0, 0.7}, 5}, pool);
    EXPECT_EQ(found.headings, 1);
    EXPECT_NEAR(found.places.front().pose.yaw, 0.7, 1e-9);
  }
}

TEST(Places, TheGuessesRollAndPitchTurnTheScanUpright) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 0.5);
  HostPool pool(2);
  const Transform tilted = to_transform(Pose{0, 0, 0, 0.4, -0.3, 2});
  PointCloud scan = yard.scan;
  for (Point& p : scan.points) p = cast<float>(transpose(rotation_of(tilted)) * cast<double>(p));
  const PlacesFound found =
      find_places(pyramid, scan, {whole_map(pyramid), principal(derivative_pose(tilted)), 40}, pool);
  const Transform truth = to_transform(yard.truth) * tilted;
  EXPECT_LT(translation_error_m(to_transform(found.places[0].pose), truth), 1);
  EXPECT_LT(rotation_error_rad(to_transform(found.places[0].pose), truth), 0.1);
}

TEST(Places, OfAMapOfOneVoxelThereIsOne) {
  const PlacePyramid pyramid(cloud_of({{5.2F, 5.3F, 0.4F}, {5.3F, 5.2F, 0.5F}}), 1);
  HostPool pool(1);
  const PlacesFound found =
      find_places(pyramid, cloud_of({{0.1F, 0, 0}}), {whole_map(pyramid), {}, 10}, pool);
  EXPECT_EQ(found.places[0].score, 1);
  EXPECT_EQ(found.coverage, 1);
}

TEST(Places, WhereNothingMeetsTheMapTheMiddleIsAllThereIs) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 1);
  HostPool pool(2);
  const PlaceRegion elsewhere{{1000, 1000, 0}, {1010, 1020, 4}};
  const PointCloud nothing, invalid = cloud_of({{std::numeric_limits<float>::infinity(), 0, 0}});
  for (const PointCloud* scan : {&yard.scan, &nothing, &invalid}) {
    const PlacesFound found = find_places(pyramid, *scan, {elsewhere, {}, 10}, pool);
    ASSERT_EQ(found.places.size(), 1U);
    EXPECT_EQ(found.places[0].score, 0);
    EXPECT_EQ(found.places[0].pose.x, 1005);
    EXPECT_EQ(found.places[0].pose.y, 1010);
    EXPECT_EQ(found.coverage, 1);
    EXPECT_FALSE(found.interrupted);
  }
}

TEST(Places, ADeadlineOrARequestEndsTheSearchWithWhatItHas) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 0.5);
  HostPool pool(2);
  PerScan late;
  late.deadline = std::chrono::steady_clock::now();
  std::stop_source source;
  PerScan stopped;
  stopped.stop = source.get_token();
  source.request_stop();
  for (const auto& [limits, reason] :
       {std::pair(&late, Stop::timeout), std::pair(&stopped, Stop::cancelled)}) {
    const PlacesFound found = find_places(pyramid, yard.scan, {whole_map(pyramid), {}, 10}, pool, *limits);
    ASSERT_EQ(found.places.size(), 1U);
    EXPECT_GT(found.places[0].score, 0);
    EXPECT_EQ(found.interrupted, reason);
    EXPECT_LT(found.coverage, 1);
  }
}

TEST(Places, WhatProgressThrowsComesThroughAndThePoolGoesOn) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 1);
  HostPool pool(1);  // of more, the thread that tells may come too late for a box
  const PlaceQuery query{whole_map(pyramid), {}, 5};
  EXPECT_THROW(
      find_places(pyramid, yard.scan, query, pool, {}, [](double) { throw std::range_error("seen"); }),
      std::range_error);
  EXPECT_EQ(find_places(pyramid, yard.scan, query, pool).coverage, 1);
}

TEST(Places, ProgressGrowsToTheEnd) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 0.5);
  HostPool pool(1);
  std::vector<double> shares;
  find_places(pyramid, yard.scan, {whole_map(pyramid), {}, 10}, pool, {},
              [&](double coverage) { shares.push_back(coverage); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
}

TEST(Places, WhatTheyCannotUseIsRefused) {
  const Yard yard;
  const PlacePyramid pyramid(yard.map, 1);
  HostPool pool(1);
  const auto refused = [&](const PlaceQuery& query) {
    EXPECT_THROW(find_places(pyramid, yard.scan, query, pool), std::invalid_argument);
  };
  refused({{{0, 0, 0}, {-1, 1, 1}}, {}, 10});
  refused({{{0, 0, 0}, {std::numeric_limits<double>::quiet_NaN(), 1, 1}}, {}, 10});
  refused({{{0, 0, 0}, {1, 1, 1}, false, -1}, {}, 10});
  refused({whole_map(pyramid), {}, 0});
}

}  // namespace
}  // namespace ndt::initial_pose
