// The search for places by levels, as devices run it, held to the one on threads.
#include "anywhere/level_search.hpp"

#include <gtest/gtest.h>

#include <random>

#include "anywhere/place_task.hpp"
#include "host_levels.hpp"
#include "same_places.hpp"

namespace ndt::initial_pose {
namespace {

PlacesFound by_levels(const PlacePyramid& pyramid, const PointCloud& scan, const PlaceQuery& query,
                      HostLevels& backend, const PerScan& per_scan = {}, const PlaceProgress& progress = {}) {
  HostPool pool(2);
  const ScanSketch sketch = sketch_of(scan, rotation_of(query.guess), pyramid.cell_m());
  PlaceTask task(pyramid, sketch, query, pool);
  return search_by_levels(task, query.places, backend, pool, per_scan, progress);
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr unsigned kRandomMaps = 2;  // ten take minutes there
#else
constexpr unsigned kRandomMaps = 10;
#endif

TEST(PlacesByLevels, AreThoseOfTheThreadsInRandomMaps) {
  HostPool pool(2);
  for (unsigned seed = 1; seed <= kRandomMaps; ++seed) {
    std::mt19937 random(seed);
    const PlaceCase given(random);
    const PlacePyramid pyramid(given.map, 0.5 + 0.1 * static_cast<double>(seed % 6));
    for (const PlaceRegion& region : given.regions(pyramid))
      for (const int wanted : {1, 7, 200}) {
        const PlaceQuery query{region, {0, 0, 0, 0, 0, 0.3}, wanted};
        HostLevels backend(pyramid.levels(), DevicePlaces::kBoxes);
        const PlacesFound found = by_levels(pyramid, given.scan, query, backend);
        expect_same(found, find_places(pyramid, given.scan, query, pool),
                    "seed " + std::to_string(seed) + ", wanted " + std::to_string(wanted));
        EXPECT_EQ(backend.overflows, 0);
      }
  }
}

TEST(PlacesByLevels, AreTheSameWhereALevelHasNoRoomForASlice) {
  HostPool pool(2);
  int overflows = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    const PlaceCase given(random);
    const PlacePyramid pyramid(given.map, 0.5);
    const PlaceQuery query{whole_map(pyramid), {}, 200};
    HostLevels small(pyramid.levels(), 1);
    expect_same(by_levels(pyramid, given.scan, query, small), find_places(pyramid, given.scan, query, pool),
                "seed " + std::to_string(seed));
    overflows += small.overflows;
  }
  EXPECT_GT(overflows, 0);
}

TEST(PlacesByLevels, OneBackendSearchesAgainAndAgain) {
  HostPool pool(2);
  std::mt19937 random(3);
  const PlaceCase one(random), other(random);
  const PlacePyramid pyramid(one.map, 0.6);
  HostLevels backend(pyramid.levels(), DevicePlaces::kBoxes);
  for (const PointCloud* scan : {&one.scan, &other.scan, &one.scan}) {
    const PlaceQuery query{whole_map(pyramid), {}, 20};
    expect_same(by_levels(pyramid, *scan, query, backend), find_places(pyramid, *scan, query, pool), "again");
  }
}

TEST(PlacesByLevels, WhereNothingMeetsTheMapTheMiddleIsAllThereIs) {
  std::mt19937 random(4);
  const PlaceCase given(random);
  const PlacePyramid pyramid(given.map, 1);
  HostPool pool(1);
  const PlaceQuery query{{{1000, 1000, 0}, {1010, 1020, 4}}, {}, 10};
  const PointCloud nothing;
  for (const PointCloud* scan : {&given.scan, &nothing}) {
    HostLevels backend(pyramid.levels(), 1);
    const PlacesFound found = by_levels(pyramid, *scan, query, backend);
    expect_same(found, find_places(pyramid, *scan, query, pool), "elsewhere");
    EXPECT_EQ(found.places.front().pose.x, 1005);
  }
}

TEST(PlacesByLevels, ADeadlineOrARequestEndsTheSearchWithAnAnswer) {
  std::mt19937 random(5);
  const PlaceCase given(random);
  const PlacePyramid pyramid(given.map, 0.5);
  PerScan late, stopped;
  late.deadline = std::chrono::steady_clock::now();
  std::stop_source source;
  stopped.stop = source.get_token();
  source.request_stop();
  for (const auto& [limits, reason] :
       {std::pair(&late, Stop::timeout), std::pair(&stopped, Stop::cancelled)}) {
    HostLevels backend(pyramid.levels(), DevicePlaces::kBoxes);
    const PlacesFound found = by_levels(pyramid, given.scan, {whole_map(pyramid), {}, 10}, backend, *limits);
    EXPECT_GT(found.places.at(0).score, 0);
    EXPECT_EQ(found.interrupted, reason);
    EXPECT_LT(found.coverage, 1);
  }
}

TEST(PlacesByLevels, ProgressGrowsToTheEndAndWhatItThrowsComesThrough) {
  std::mt19937 random(6);
  const PlaceCase given(random);
  const PlacePyramid pyramid(given.map, 0.5);
  HostLevels backend(pyramid.levels(), 1);
  const PlaceQuery query{whole_map(pyramid), {}, 10};
  std::vector<double> shares;
  by_levels(pyramid, given.scan, query, backend, {}, [&](double share) { shares.push_back(share); });
  ASSERT_GT(shares.size(), 2U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
  EXPECT_THROW(
      by_levels(pyramid, given.scan, query, backend, {}, [](double) { throw std::range_error("seen"); }),
      std::range_error);
}

TEST(DevicePlaces, SayWhyWithoutADevice) {
  if (cuda_state().unavailable.empty()) GTEST_SKIP() << "there is a device";
  std::mt19937 random(7);
  const PlacePyramid pyramid(PlaceCase(random).map, 1);
  EXPECT_ANY_THROW(DevicePlaces{pyramid});
}

}  // namespace
}  // namespace ndt::initial_pose
