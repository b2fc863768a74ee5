#include "ndt/initial_pose/parzen_trials.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "golden_trials.hpp"

namespace ndt::initial_pose {
namespace {

Pose at(double x, double y, double yaw) { return {x, y, 0, 0, 0, yaw}; }

double ratio(const ParzenTrials& trials, const Pose& p) { return trials.log_density_ratio(place_of(p)); }

/// Log density of one kernel, term by term.
double log_kernel(const Pose& a, const Pose& b) {
  const auto normal = [](double d, double width) {
    return -0.5 * std::log(2 * kPi) - std::log(width) - 0.5 * (d / width) * (d / width);
  };
  const double yaw = std::remainder(a.yaw - b.yaw, 2 * kPi);
  return normal(a.x - b.x, 0.25) + normal(a.y - b.y, 0.25) + normal(yaw, 2.5 * kPi / 180);
}

TEST(ParzenTrials, AgreesWithTheReferenceTrialByTrial) {
  const auto golden = golden::trial_sequence("tpe_analytic_sequence.json");
  ASSERT_TRUE(golden.has_value());
  ParzenTrials trials;
  int guided = 0;
  for (const golden::Trial& trial : golden->trials) {
    if (trial.log_ratio) {
      ASSERT_GT(trials.good(), 0U);
      EXPECT_NEAR(ratio(trials, trial.input), *trial.log_ratio, 1e-12 * std::abs(*trial.log_ratio));
      EXPECT_EQ(static_cast<int>(trials.good()), trial.good) << "of " << trials.size();
      ++guided;
    }
    trials.add(trial.result, trial.score);
  }
  EXPECT_EQ(guided, 40);
}

TEST(ParzenTrials, TheGoodSetIsATenthAndAtMostTen) {
  ParzenTrials trials;
  for (int n = 0; n < 300; ++n) {
    EXPECT_EQ(trials.good(), static_cast<std::size_t>(n < 100 ? n / 10 : 10)) << n;
    trials.add(at(n, 0, 0), n);
  }
}

TEST(ParzenTrials, NineBadOnesAndAGoodOneGiveTheRatioOfTheFormula) {
  ParzenTrials trials;
  const Pose good = at(1, 2, 3.0), bad = at(1.5, 2, 3.0), here = at(1.2, 1.9, -3.1);
  for (int k = 0; k < 9; ++k) trials.add(bad, 1);
  trials.add(good, 2);
  EXPECT_NEAR(ratio(trials, here), log_kernel(here, good) - 5 * log_kernel(here, bad), 1e-9);
}

TEST(ParzenTrials, BoundsHoldTheRatio) {
  std::mt19937_64 random(5);
  for (const double size_m : {1.0, 10.0, 1000.0}) {
    std::uniform_real_distribution<double> metres(-size_m, size_m), turn(-kPi, kPi);
    const auto anywhere = [&] { return at(metres(random), metres(random), turn(random)); };
    ParzenTrials trials;
    for (int n = 0; n < 150; ++n) {
      trials.add(anywhere(), metres(random));
      if (trials.good() == 0) continue;
      for (int k = 0; k < n % 6; ++k) trials.add_pending(anywhere());
      for (int k = 0; k < 20; ++k) {
        const Pose here = anywhere();
        Candidate candidate{place_of(here)};
        const RatioBounds bounds = trials.bounds(candidate);
        EXPECT_LE(bounds.low, ratio(trials, here));
        EXPECT_GE(bounds.high, ratio(trials, here));
        EXPECT_LT(bounds.high - bounds.low, 5 * std::log(200) + std::log(10));
        Candidate other{place_of(here)};
        for (const double wanted : {bounds.high + 100, bounds.high + 1e-3, bounds.high}) {
          const RatioBounds early = trials.bounds(other, wanted);
          EXPECT_LE(early.low, bounds.low);
          EXPECT_GE(early.high, bounds.high);
          EXPECT_TRUE(early.high < wanted || (early.low == bounds.low && early.high == bounds.high));
        }
      }
      trials.drop_pending();
    }
  }
}

/// Trials move between the sets on the way: into the good one, out of it, and up from the rest while it
/// grows.
TEST(ParzenTrials, KernelsComparedAheadGiveTheSameBounds) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> metres(-2, 2), turn(-0.5, 0.5);
  const auto anywhere = [&] { return at(metres(random), metres(random), turn(random)); };
  ParzenTrials trials;
  std::vector<Candidate> candidates;
  for (int k = 0; k < 50; ++k) candidates.push_back(Candidate{place_of(anywhere())});
  for (int n = 1; n <= 150; ++n) {
    trials.add(anywhere(), std::round(metres(random) * 5));  // ties too
    if (trials.good() == 0) continue;
    if (n % 3 == 0)
      for (Candidate& candidate : candidates) trials.compare(candidate);
    if (n % 4 == 0) trials.add_pending(anywhere());
    for (Candidate& candidate : candidates) {
      Candidate fresh{candidate.at};
      const RatioBounds got = trials.bounds(candidate), expected = trials.bounds(fresh);
      ASSERT_EQ(got.low, expected.low) << n;
      ASSERT_EQ(got.high, expected.high) << n;
    }
    trials.drop_pending();
  }
}

TEST(ParzenTrials, TheGoodSetHoldsTheBestAndOfEqualsTheEarliest) {
  // Far apart, so that a place's ratio shows which set the trial there is in.
  ParzenTrials trials;
  const double scores[] = {1, 3, 2, 3, 0, 3, 2, 1, 0, 0, 3, 4, 3, 3, 0, 2, 1, 1, 2, 5};
  for (int k = 0; k < 20; ++k) trials.add(at(10 * k, 0, 0), scores[k]);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(ratio(trials, at(10 * k, 0, 0)) > 0, k == 11 || k == 19) << k;
  for (int k = 20; k < 30; ++k) trials.add(at(10 * k, 0, 0), 3);
  for (int k = 0; k < 30; ++k)
    EXPECT_EQ(ratio(trials, at(10 * k, 0, 0)) > 0, k == 1 || k == 11 || k == 19) << k;
}

TEST(ParzenTrials, TheCircleHasNoSeam) {
  ParzenTrials trials;
  for (int k = 0; k < 9; ++k) trials.add(at(5, 5, kPi - 0.01), 0);
  trials.add(at(0, 0, kPi - 0.01), 1);
  const double across = ratio(trials, at(0, 0, -kPi + 0.01));
  EXPECT_NEAR(across, ratio(trials, at(0, 0, kPi - 0.03)), 1e-6);
  EXPECT_NEAR(ratio(trials, at(0, 0, kPi)), ratio(trials, at(0, 0, -kPi)), 1e-9);
  EXPECT_NEAR(ratio(trials, at(0, 0, kPi + 0.01)), across, 1e-9);  // a pose may give its yaw either way
}

TEST(ParzenTrials, FarFromEverythingDensitiesDoNotUnderflow) {
  ParzenTrials trials;
  for (int k = 0; k < 20; ++k) trials.add(at(k, 0, 0), k);
  const double near = ratio(trials, at(1e3, 0, 0)), far = ratio(trials, at(1e6, 0, 0));
  EXPECT_TRUE(std::isfinite(near));
  EXPECT_TRUE(std::isfinite(far));
  EXPECT_GT(far, near);  // away from the rest, which counts five times
}

TEST(ParzenTrials, PendingPlacesRepelUntilTheyAreDropped) {
  ParzenTrials trials;
  for (int k = 0; k < 20; ++k) trials.add(at(0.1 * k, 0, 0), k);
  const Pose here = at(2.1, 0, 0);
  const double before = ratio(trials, here);
  trials.add_pending(here);
  EXPECT_LT(ratio(trials, here), before);
  EXPECT_EQ(trials.size(), 20U);
  EXPECT_EQ(trials.good(), 2U);
  trials.drop_pending();
  EXPECT_EQ(ratio(trials, here), before);
}

TEST(ParzenTrials, NaNIsWorseThanAnything) {
  ParzenTrials trials;
  trials.add(at(0, 0, 0), std::numeric_limits<double>::quiet_NaN());
  for (int k = 0; k < 9; ++k) trials.add(at(10, 10, 1), -1e300);
  EXPECT_LT(ratio(trials, at(0, 0, 0)), ratio(trials, at(10, 10, 1)));
}

}  // namespace
}  // namespace ndt::initial_pose
