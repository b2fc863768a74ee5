#include "ndt/initial_pose/tpe.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "golden_trials.hpp"

namespace ndt::initial_pose {
namespace {

const PosePrior kTrialsPrior{{10, -5, 1, 0.01, -0.02, 0}, {3, 3, 0.1, 0.01, 0.02}};

bool same(const Pose& a, const Pose& b) {
  for (int i = 0; i < 6; ++i)
    if (coordinate(a, i) != coordinate(b, i)) return false;
  return true;
}

/// Every proposal is the reference's when it is told the reference's results.
void expect_proposals_of(const std::string& file) {
  const auto golden = golden::trial_sequence(file);
  if (!golden) GTEST_SKIP() << "NDT_GOLDEN_DIR holds no " << file;
  Tpe tpe(golden->prior, {golden->startup, 100, 0});
  for (std::size_t k = 0; k < golden->trials.size(); ++k) {
    const golden::Trial& trial = golden->trials[k];
    const Pose proposed = tpe.ask(1).front();
    for (int i = 0; i < 6; ++i)
      ASSERT_NEAR(coordinate(proposed, i), coordinate(trial.input, i), 1e-12) << "trial " << k << ", " << i;
    tpe.tell(trial.result, trial.score);
  }
}

TEST(Tpe, ProposesWhatTheReferenceDidOnAnAnalyticFunction) {
  expect_proposals_of("tpe_analytic_sequence.json");
}
TEST(Tpe, ProposesWhatTheReferenceDidOnARealScan) { expect_proposals_of("tpe_pose_search.json"); }

using Objective = std::function<double(const Pose&)>;

double squared(double value) { return value * value; }
double around(double angle) { return std::remainder(angle, 2 * kPi); }

struct Problem {
  const char* name;
  Objective value;
};
const Problem kProblems[] = {
    {"sphere",
     [](const Pose& p) { return -(squared(p.x - 11) + squared(p.y + 6) + squared(around(p.yaw - 0.7))); }},
    {"multimodal",  // the pose, and two places that look like it
     [](const Pose& p) {
       const auto hill = [&](double height, double x, double y, double yaw) {
         return height *
                std::exp(-(squared(p.x - x) + squared(p.y - y)) / 2 - squared(around(p.yaw - yaw)) * 2);
       };
       return hill(1, 11, -6, 0.7) + hill(0.8, 8, -3, 0.7 - kPi) + hill(0.6, 13, -3, -1);
     }},
    {"wrapped yaw", [](const Pose& p) {
       return -(squared(p.x - 9) + squared(p.y + 5) + 10 * squared(around(p.yaw - kPi)));
     }}};

/// The best value after each trial.
std::vector<double> best_so_far(Tpe tpe, const Objective& value, int trials, int at_once = 1) {
  std::vector<double> best;
  while (static_cast<int>(best.size()) < trials)
    for (const Pose& place : tpe.ask(at_once)) {
      const double got = value(place);
      tpe.tell(place, got);
      best.push_back(best.empty() ? got : std::max(best.back(), got));
    }
  return best;
}

/// Probability of so many wins or more of n if both were as good.
double sign_test(int wins, int n) {
  double sum = 0;
  for (int k = wins; k <= n; ++k)
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
  return sum * std::pow(0.5, n);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(Tpe, BeatsRandomSearchOfTheSameBudget) {
  constexpr int kSeeds = 40, kTrials = 200, kMost = 64 * kTrials;
  for (const auto& [name, value] : kProblems) {
    std::vector<std::vector<double>> random;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
      random.push_back(best_so_far(Tpe(kTrialsPrior, {kMost, 100, seed + 1000}), value, kMost));
    for (const int at_once : {1, 16}) {
      int wins = 0;
      std::vector<double> guided;
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        guided.push_back(best_so_far(Tpe(kTrialsPrior, {50, 100, seed}), value, kTrials, at_once).back());
        wins += guided.back() > random[seed - 1][kTrials - 1];
      }
      EXPECT_LT(sign_test(wins, kSeeds), 0.01)
          << name << ", " << at_once << " at once: " << wins << " of " << kSeeds;
      int budget = kTrials;
      const auto level = [&] {
        std::vector<double> at_budget;
        for (const auto& run : random) at_budget.push_back(run[static_cast<std::size_t>(budget) - 1]);
        return median(at_budget) >= median(guided);
      };
      while (budget < kMost && !level()) budget = std::min(kMost, budget + budget / 20);
      fmt::print(
          "{}, {} at once: {} of {} seeds won; random search draws level at {}{} trials instead of {}\n",
          name, at_once, wins, kSeeds, budget, budget == kMost ? " or more" : "", kTrials);
    }
  }
}

TEST(Tpe, SameSeedSameProposalsAnotherSeedOthers) {
  const auto proposals = [](std::uint64_t seed) {
    Tpe tpe(kTrialsPrior, {15, 100, seed});
    std::vector<Pose> all;
    for (int round = 0; round < 10; ++round)
      for (const Pose& place : tpe.ask(5)) {
        tpe.tell(place, kProblems[0].value(place));
        all.push_back(place);
      }
    return all;
  };
  const std::vector<Pose> first = proposals(7), again = proposals(7), other = proposals(8);
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_TRUE(same(first[k], again[k])) << k;
    EXPECT_FALSE(same(first[k], other[k])) << k;
  }
}

TEST(Tpe, CandidatesDrawnAheadAreTheOnesThatWouldBeDrawn) {
  for (const int startup : {0, 5, 10, 25}) {
    Tpe plain(kTrialsPrior, {startup, 100, 3}), ahead(kTrialsPrior, {startup, 100, 3});
    for (int round = 0; round < 12; ++round) {
      const int count = 1 + round % 4;
      const std::vector<Pose> expected = plain.ask(count), got = ahead.ask(count);
      // Sometimes fewer than will be asked for, sometimes for several rounds.
      ahead.draw_ahead(1 + (round + 1) % 4 - round % 2 + (round % 3 == 0 ? 7 : 0), round % 4);
      for (int k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_TRUE(same(got[at], expected[at])) << startup << ", round " << round;
        plain.tell(expected[at], kProblems[0].value(expected[at]));
        ahead.tell(got[at], kProblems[0].value(got[at]));
      }
    }
  }
}

TEST(Tpe, TheStartUpIsTheSameInOnePieceOrMany) {
  Tpe whole(kTrialsPrior, {20, 100, 3}), parts(kTrialsPrior, {20, 100, 3});
  const std::vector<Pose> at_once = whole.ask(20);
  for (const Pose& expected : at_once) {
    const Pose place = parts.ask(1).front();
    EXPECT_TRUE(same(place, expected));
    parts.tell(place, 0);
  }
}

TEST(Tpe, WithoutAStartUpItStartsFromThePriorUntilSomethingIsGood) {
  Tpe tpe(kTrialsPrior, {0, 100, 1}), prior_only(kTrialsPrior, {1000, 100, 1});
  for (int k = 0; k < 10; ++k) {
    const Pose place = tpe.ask(1).front();
    EXPECT_TRUE(same(place, prior_only.ask(1).front())) << k;
    tpe.tell(place, -k);
  }
  EXPECT_FALSE(same(tpe.ask(1).front(), prior_only.ask(1).front()));
}

TEST(Tpe, PlacesOfOneRoundKeepApart) {
  Tpe tpe(kTrialsPrior, {50, 100, 5});
  for (const Pose& place : tpe.ask(50)) tpe.tell(place, kProblems[0].value(place));
  const std::vector<Pose> round = tpe.ask(16);
  for (std::size_t i = 0; i < round.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_GT(std::hypot(round[i].x - round[j].x, round[i].y - round[j].y) +
                    std::abs(around(round[i].yaw - round[j].yaw)),
                0.05)
          << i << ' ' << j;
}

}  // namespace
}  // namespace ndt::initial_pose
