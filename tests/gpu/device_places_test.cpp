// The search for places on a device, held to the one on threads.
#include <gtest/gtest.h>

#include <memory>

#include "ndt/cuda/device.hpp"
#include "same_places.hpp"
#include "test_clouds.hpp"

namespace ndt::initial_pose {
namespace {

class DevicePlacesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_state().unavailable.empty()) GTEST_SKIP() << cuda_state().unavailable;
  }

  PlacesFound on(DevicePlaces& device, const PlacePyramid& pyramid, const PointCloud& scan,
                 const PlaceQuery& query, const PerScan& per_scan = {}, const PlaceProgress& progress = {}) {
    return find_places(pyramid, scan, query, pool, per_scan, progress, &device);
  }

  HostPool pool{0};
};

TEST_F(DevicePlacesTest, AreThoseOfTheThreadsInTheCourtyard) {
  for (const double cell_m : {1.0, 0.5}) {
    const PlacePyramid pyramid(test_clouds::map(), cell_m);
    DevicePlaces device(pyramid);
    const PlaceRegion box{{-6, -6, -1}, {6, 6, 1}}, whole = whole_map(pyramid);
    for (const PlaceRegion& region : {whole, box})
      for (const int wanted : {1, 200}) {
        const PlaceQuery query{region, {}, wanted};
        expect_same(on(device, pyramid, test_clouds::scan(), query),
                    find_places(pyramid, test_clouds::scan(), query, pool),
                    std::to_string(wanted) + " wanted, cells of " + std::to_string(cell_m) + " m");
      }
  }
}

TEST_F(DevicePlacesTest, AreThoseOfTheThreadsInRandomMaps) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const PlaceCase given(random, seed < 4 ? 30.0F : 120.0F);
    const PlacePyramid pyramid(given.map, 0.5 + 0.1 * static_cast<double>(seed % 3));
    DevicePlaces device(pyramid);
    for (const PlaceRegion& region : given.regions(pyramid))
      for (const int wanted : {1, 200}) {
        const PlaceQuery query{region, {0, 0, 0, 0, 0, 0.3}, wanted};
        expect_same(on(device, pyramid, given.scan, query), find_places(pyramid, given.scan, query, pool),
                    "seed " + std::to_string(seed) + ", wanted " + std::to_string(wanted));
      }
  }
}

TEST_F(DevicePlacesTest, AreTheSameWhereALevelHasNoRoomForASlice) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    const PlaceCase given(random, 60);
    const PlacePyramid pyramid(given.map, 0.5);
    DevicePlaces small(pyramid, 0, 1);
    const PlaceQuery query{whole_map(pyramid), {}, 200};
    expect_same(on(small, pyramid, given.scan, query), find_places(pyramid, given.scan, query, pool),
                "seed " + std::to_string(seed));
  }
}

TEST_F(DevicePlacesTest, OneDeviceSearchesAgainAndAgain) {
  std::mt19937 random(3);
  const PlaceCase one(random), other(random);
  const PlacePyramid pyramid(one.map, 0.6);
  DevicePlaces device(pyramid);
  const PointCloud nothing;
  for (const PointCloud* scan : {&one.scan, &other.scan, &nothing, &one.scan}) {
    const PlaceQuery query{whole_map(pyramid), {}, 20};
    expect_same(on(device, pyramid, *scan, query), find_places(pyramid, *scan, query, pool), "again");
  }
}

TEST_F(DevicePlacesTest, AnotherMapsGridsAreRefused) {
  std::mt19937 random(4);
  const PlaceCase given(random);
  const PlacePyramid pyramid(given.map, 0.6), finer(given.map, 0.4);
  DevicePlaces device(pyramid);
  EXPECT_THROW(on(device, finer, given.scan, {whole_map(finer), {}, 20}), std::invalid_argument);
  EXPECT_EQ(on(device, pyramid, given.scan, {whole_map(pyramid), {}, 20}).coverage, 1);
}

TEST_F(DevicePlacesTest, ARequestBeforeTheStartStillGivesAnAnswer) {
  std::mt19937 random(5);
  const PlaceCase given(random);
  const PlacePyramid pyramid(given.map, 0.5);
  DevicePlaces device(pyramid);
  std::stop_source source;
  PerScan stopped;
  stopped.stop = source.get_token();
  source.request_stop();
  const PlaceQuery query{whole_map(pyramid), {}, 10};
  const PlacesFound found = on(device, pyramid, given.scan, query, stopped);
  EXPECT_GT(found.places.at(0).score, 0);
  EXPECT_EQ(found.interrupted, Stop::cancelled);
  EXPECT_LT(found.coverage, 1);
  expect_same(on(device, pyramid, given.scan, query), find_places(pyramid, given.scan, query, pool), "next");
}

TEST_F(DevicePlacesTest, ProgressGrowsToTheEndAndWhatItThrowsComesThrough) {
  std::mt19937 random(6);
  const PlaceCase given(random);
  const PlacePyramid pyramid(given.map, 0.5);
  DevicePlaces device(pyramid, 0, 1);
  const PlaceQuery query{whole_map(pyramid), {}, 10};
  std::vector<double> shares;
  on(device, pyramid, given.scan, query, {}, [&](double share) { shares.push_back(share); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
  EXPECT_THROW(on(device, pyramid, given.scan, query, {}, [](double) { throw std::range_error("seen"); }),
               std::range_error);
  EXPECT_EQ(on(device, pyramid, given.scan, query).coverage, 1);
}

}  // namespace
}  // namespace ndt::initial_pose
