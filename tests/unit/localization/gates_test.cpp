// The gates against the reference's rule, every combination once.
#include "ndt/localization/gates.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace ndt::localization {
namespace {

LocalizerOptions gate_options() {
  LocalizerOptions o;
  o.least_score = 2.3;
  return o;  // 30 iterations, 10 oscillations, 3 m
}

TEST(Gates, FollowTheReferencesRuleInEveryCombination) {
  for (int bits = 0; bits < 16; ++bits) {
    const bool below_limit = bits & 1, oscillates = bits & 2, score = bits & 4, near = bits & 8;
    const Judgement got = judged({.stop = below_limit ? Stop::converged : Stop::max_iterations,
                                  .iterations = below_limit ? 29 : 30,
                                  .oscillations = oscillates ? 11 : 10,
                                  .score = score ? 2.31 : 2.3,
                                  .jump_m = near ? 3.0 : 3.01},
                                 gate_options());
    EXPECT_EQ(got.iterations_ok, below_limit);
    EXPECT_EQ(got.oscillates, oscillates);
    EXPECT_EQ(got.score_ok, score);
    EXPECT_EQ(got.jump_ok, near);
    EXPECT_EQ(got.accepted, (below_limit || oscillates) && score) << bits;
    const Reason expected = !score                         ? Reason::score
                            : !(below_limit || oscillates) ? Reason::iterations
                            : !near                        ? Reason::jump
                                                           : Reason::none;
    EXPECT_EQ(to_string(got.reason), to_string(expected)) << bits;
  }
}

TEST(Gates, AJumpIsAllowedMoreOverALongGap) {
  Measured measured{.stop = Stop::converged, .iterations = 3, .score = 3, .jump_m = 6};
  for (const auto& [gap_s, ok] : {std::pair(0.1, false), std::pair(1.9, false), std::pair(2.0, true)}) {
    measured.gap_s = gap_s;
    EXPECT_EQ(judged(measured, gate_options()).jump_ok, ok) << gap_s;
  }
}

TEST(Gates, EveryWayToStopHasItsReason) {
  const std::tuple<Stop, bool, Reason> cases[] = {
      {Stop::converged, true, Reason::none},         {Stop::line_search_failed, true, Reason::none},
      {Stop::degenerate, true, Reason::degenerate},  {Stop::no_overlap, false, Reason::no_overlap},
      {Stop::non_finite, false, Reason::non_finite}, {Stop::timeout, false, Reason::interrupted},
      {Stop::cancelled, false, Reason::interrupted},
  };
  for (const auto& [stop, accepted, reason] : cases) {
    const Judgement got = judged({.stop = stop, .iterations = 3, .score = 3}, gate_options());
    EXPECT_EQ(got.accepted, accepted) << to_string(stop);
    EXPECT_EQ(to_string(got.reason), to_string(reason)) << to_string(stop);
  }
}

TEST(Gates, WithoutAThresholdTheScoreIsNotJudged) {
  LocalizerOptions o = gate_options();
  o.least_score.reset();
  const Judgement clean = judged({.stop = Stop::converged, .iterations = 3, .score = 0}, o);
  EXPECT_TRUE(clean.accepted);
  EXPECT_EQ(to_string(clean.reason), "unproven") << "a wrong pose looks the same";
  const Judgement far = judged({.stop = Stop::converged, .iterations = 3, .jump_m = 3.01}, o);
  EXPECT_TRUE(far.accepted);
  EXPECT_EQ(to_string(far.reason), "jump") << "says more";
  const Judgement degenerate = judged({.stop = Stop::degenerate, .iterations = 3, .score = 3}, o);
  EXPECT_FALSE(degenerate.accepted) << "and nothing else tells whether it matches at all";
  EXPECT_EQ(to_string(degenerate.reason), "degenerate");
}

TEST(Gates, ConvergenceAloneJudgesWhereThereAreNoScores) {
  LocalizerOptions o = gate_options();
  o.by_convergence = true;
  const std::tuple<Stop, bool, Reason> cases[] = {
      {Stop::converged, true, Reason::none},
      {Stop::max_iterations, false, Reason::iterations},
      {Stop::no_overlap, false, Reason::no_overlap},
      {Stop::cancelled, false, Reason::interrupted},
  };
  for (const auto& [stop, accepted, reason] : cases) {
    const Judgement got = judged({.stop = stop, .iterations = 99, .score = 0, .jump_m = 9}, o);
    EXPECT_EQ(got.accepted, accepted) << to_string(stop);
    EXPECT_EQ(to_string(got.reason), to_string(reason)) << to_string(stop);
  }
}

TEST(Gates, ADegenerateAlignmentThatIsHeldIsJudgedAsAnyOther) {
  LocalizerOptions o = gate_options();
  Measured measured{.stop = Stop::degenerate, .iterations = 3, .score = 3, .held = true};
  EXPECT_EQ(to_string(judged(measured, o).reason), "none");
  o.thin_map = true;
  EXPECT_TRUE(judged(measured, o).accepted);
  EXPECT_EQ(to_string(judged(measured, o).reason), "degenerate") << "a wrong pose may be held there";
  o.thin_map = false;
  measured.score = 2;
  EXPECT_EQ(to_string(judged(measured, o).reason), "score");
  o.least_score.reset();
  EXPECT_TRUE(judged(measured, o).accepted);
  EXPECT_EQ(to_string(judged(measured, o).reason), "unproven");
}

TEST(Gates, ASpreadIsDoubtedAboveItsBoundAndRejectedAboveTheOther) {
  LocalizerOptions o = gate_options();
  o.spread_bound_m = 0.2;
  const auto got = [&](const std::optional<Spread>& spread, Stop stop = Stop::converged) {
    return judged({.stop = stop, .iterations = 3, .score = 3, .spread = spread}, o);
  };
  const Spread unknown, near{true, 0.2, 0}, far{true, 0.21, 0}, wild{true, 1.01, 0};
  for (const bool rejects : {false, true}) {
    if (rejects) o.spread_reject_m = 1;
    const std::tuple<std::optional<Spread>, bool, Reason> cases[] = {
        {std::nullopt, true, Reason::none}, {near, true, Reason::none},       {far, true, Reason::spread},
        {unknown, true, Reason::spread},    {wild, !rejects, Reason::spread},
    };
    for (const auto& [spread, accepted, reason] : cases) {
      const Judgement judgement = got(spread);
      EXPECT_EQ(judgement.accepted, accepted) << rejects << (spread ? spread->distance_m : -1);
      EXPECT_EQ(to_string(judgement.reason), to_string(reason));
      EXPECT_EQ(judgement.spread_ok, reason == Reason::none);
    }
  }
  EXPECT_EQ(to_string(got(far, Stop::degenerate).reason), "degenerate") << "says why";
  EXPECT_EQ(to_string(got(near, Stop::degenerate).reason), "degenerate") << "a heading may be free";
  EXPECT_EQ(to_string(got(wild, Stop::degenerate).reason), "spread") << "but not why it is rejected";
  EXPECT_EQ(to_string(got(wild, Stop::no_overlap).reason), "no_overlap");
  EXPECT_EQ(to_string(judged({.stop = Stop::converged, .score = 2, .spread = wild}, o).reason), "score");
  o.least_score.reset();
  EXPECT_EQ(to_string(got(far).reason), "spread") << "says more than unproven";
  EXPECT_EQ(to_string(got(near).reason), "unproven") << "neighbours that agree prove nothing";
}

TEST(Gates, TheScoreIsTheOneChosen) {
  AlignResult result;
  result.nvtl = 2, result.transform_probability = 4;
  result.map_from_scan = to_transform({0, 3, 4, 0, 0, 0});
  LocalizerOptions o = gate_options();
  EXPECT_EQ(measured(result, {}, 0, o).score, 2);
  EXPECT_EQ(measured(result, {}, 0, o).jump_m, 5);
  o.score = ScoreKind::transform_probability;
  EXPECT_EQ(measured(result, {}, 0, o).score, 4);
}

}  // namespace
}  // namespace ndt::localization
