// Alignments from beside an answer: where they begin, that they are one batch, and what their spread is.
#include "ndt/localization/beside.hpp"

#include <gtest/gtest.h>

#include "scripted_aligner.hpp"

namespace ndt::localization {
namespace {

Transform at(double x, double y, double yaw = 0) { return to_transform({x, y, 1, 0, 0, yaw}); }

/// Leaves every guess where it is.
class Staying : public ScriptedAligner {
 public:
  bool traced = false;
  std::optional<RegularisationTarget> regularisation;

  AlignResult align(const Scan&, const Transform& guess, const PerScan& per_scan) override {
    traced = traced || per_scan.trace;
    regularisation = per_scan.regularisation;
    AlignResult result;
    result.stop = Stop::converged;
    result.map_from_scan = guess;
    return result;
  }
};

TEST(Beside, PlacesBesideAPoseAreInItsOwnAxes) {
  const std::vector<Offset> offsets{{1, 0}, {0, 0.5}};
  const std::vector<Transform> beside = poses_beside(at(10, 20, kPi / 2), offsets);
  EXPECT_NEAR(beside[0](0, 3), 10, 1e-15);
  EXPECT_NEAR(beside[0](1, 3), 21, 1e-15) << "ahead is +y";
  EXPECT_NEAR(beside[1](0, 3), 9.5, 1e-15);
  EXPECT_DOUBLE_EQ(beside[1](2, 3), 1);
}

TEST(Beside, PlacesAroundAreEvenAndBeginAhead) {
  const std::vector<Offset> places = places_around(4, 0.5);
  const double expected[][2] = {{0.5, 0}, {0, 0.5}, {-0.5, 0}, {0, -0.5}};
  ASSERT_EQ(places.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(places[k].x, expected[k][0], 1e-15) << k;
    EXPECT_NEAR(places[k].y, expected[k][1], 1e-15) << k;
  }
  EXPECT_TRUE(places_around(0, 0.5).empty());
}

TEST(Beside, BothPurposesShareOneBatchWithoutATrace) {
  Staying aligner;
  PerScan per_scan;
  per_scan.trace = true;
  per_scan.regularisation = RegularisationTarget{1, 2};
  const std::vector<Offset> covariance{{1, 0}, {2, 0}}, spread{{0, 3}};
  const Beside beside = aligned_beside(aligner, PointCloud{}, at(10, 20), covariance, spread, per_scan);
  EXPECT_EQ(aligner.calls.size(), 1u);
  EXPECT_FALSE(aligner.traced);
  EXPECT_EQ(aligner.regularisation->y, 2) << "what pulls the answer pulls its neighbours";
  ASSERT_EQ(beside.covariance.size(), 2U);
  ASSERT_EQ(beside.spread.size(), 1U);
  EXPECT_EQ(beside.covariance[1].map_from_scan(0, 3), 12);
  EXPECT_EQ(beside.spread[0].map_from_scan(1, 3), 23);
  aligned_beside(aligner, PointCloud{}, at(10, 20), {}, {}, per_scan);
  EXPECT_EQ(aligner.calls.size(), 1u) << "nothing is aligned for nobody";
}

TEST(Beside, TheSpreadIsTheFarthestEnding) {
  std::vector<AlignResult> ended(3);
  for (AlignResult& result : ended) result.stop = Stop::converged, result.map_from_scan = at(5, 5, 1);
  Spread spread = spread_of(at(5, 5, 1), ended);
  EXPECT_TRUE(spread.known);
  EXPECT_EQ(spread.distance_m, 0);
  ended[1].map_from_scan = at(5.3, 4.6, 1);
  ended[2].map_from_scan = at(5, 5, 0.8);
  spread = spread_of(at(5, 5, 1), ended);
  EXPECT_NEAR(spread.distance_m, 0.5, 1e-12);
  EXPECT_NEAR(spread.rotation_rad, 0.2, 1e-12);
}

TEST(Beside, WhatStaysWhereItBeganIsNotHeld) {
  Staying aligner;
  const Spread free = spread_of_turned(aligner, PointCloud{}, at(10, 20, 0.4), {});
  EXPECT_EQ(aligner.calls.size(), 1u) << "one batch";
  EXPECT_NEAR(free.distance_m, 1, 1e-12);
  EXPECT_NEAR(free.rotation_rad, 0.026, 1e-9);
  EXPECT_FALSE(holds(free));
  EXPECT_FALSE(holds({true, 0, 0.026})) << "a tank leaves the heading alone free";
  EXPECT_TRUE(holds({true, 0.2, 0.007}));
  EXPECT_FALSE(holds({false, 0, 0}));
}

TEST(Beside, TheSpreadIsKnownOnlyIfEveryAlignmentGaveAPose) {
  for (const Stop stop : {Stop::timeout, Stop::cancelled, Stop::non_finite, Stop::no_overlap}) {
    std::vector<AlignResult> ended(2);
    ended[0].stop = Stop::converged, ended[1].stop = stop;
    EXPECT_FALSE(spread_of({}, ended).known) << to_string(stop);
  }
  for (const Stop stop : {Stop::max_iterations, Stop::line_search_failed, Stop::degenerate}) {
    std::vector<AlignResult> ended(1);
    ended[0].stop = stop;
    EXPECT_TRUE(spread_of({}, ended).known) << to_string(stop);
  }
}

}  // namespace
}  // namespace ndt::localization
