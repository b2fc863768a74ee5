// The verdict of a search from its evidence: one line of the truth table a test.
#include "ndt/initial_pose/verdict.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace ndt::initial_pose {
namespace {

const ReliableBounds kBounds{2.4, 0.8};
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Evidence good() {
  Evidence evidence;
  evidence.stop = Stop::converged;
  evidence.nvtl = 3;
  evidence.runner_up_ratio = 0.7;
  evidence.overlap = 0.99, evidence.matched = 0.9;
  evidence.spread_m = 0.01, evidence.spread_rad = 0.001, evidence.spread_in_mode_m = 0.01;
  evidence.agreeing = 5;
  return evidence;
}

struct Line {
  const char* what;
  std::function<void(Evidence&)> change;
  Verdict verdict;
  const char* doubts;
};

TEST(Verdict, FollowsFromTheEvidence) {
  const Line lines[] = {
      {"good", [](Evidence&) {}, Verdict::reliable, ""},
      {"no voxel", [](Evidence& e) { e.stop = Stop::no_overlap, e.nvtl = 0; }, Verdict::not_found,
       "no_overlap, low_nvtl"},
      {"limit", [](Evidence& e) { e.stop = Stop::max_iterations; }, Verdict::not_found, "not_at_rest"},
      {"no step", [](Evidence& e) { e.stop = Stop::line_search_failed; }, Verdict::not_found, "not_at_rest"},
      {"overflow", [](Evidence& e) { e.stop = Stop::non_finite; }, Verdict::not_found, "not_at_rest"},
      {"out of time", [](Evidence& e) { e.interrupted = true; }, Verdict::not_found, "interrupted"},
      {"NVTL at the bound", [](Evidence& e) { e.nvtl = 2.4; }, Verdict::not_found, "low_nvtl"},
      {"NVTL no number", [](Evidence& e) { e.nvtl = kNan; }, Verdict::not_found, "low_nvtl"},
      {"few points", [](Evidence& e) { e.matched = 0.8; }, Verdict::not_found, "few_matched"},
      {"not scored again", [](Evidence& e) { e.matched.reset(); }, Verdict::reliable, ""},
      {"a rival", [](Evidence& e) { e.runner_up_ratio = 0.95; }, Verdict::ambiguous, "rival"},
      {"a corridor", [](Evidence& e) { e.stop = Stop::degenerate; }, Verdict::ambiguous, "free_direction"},
      {"soft", [](Evidence& e) { e.spread_m = e.spread_in_mode_m = 0.3; }, Verdict::ambiguous, "spread"},
      {"one beside it leaves", [](Evidence& e) { e.spread_m = 8; }, Verdict::reliable, ""},
      {"and nothing else came", [](Evidence& e) { e.spread_m = 8, e.agreeing = 1; }, Verdict::ambiguous,
       "spread"},
      {"no pose beside it", [](Evidence& e) { e.spread_m = kInfinite, e.agreeing = 1; }, Verdict::ambiguous,
       "spread"},
      {"not looked beside", [](Evidence& e) { e.spread_m.reset(), e.agreeing = 1; }, Verdict::reliable, ""},
      {"the gravest counts", [](Evidence& e) { e.runner_up_ratio = 1, e.nvtl = 1; }, Verdict::not_found,
       "low_nvtl, rival"}};
  for (const Line& line : lines) {
    Evidence evidence = good();
    line.change(evidence);
    const Judgement judgement = judge(evidence, kBounds);
    EXPECT_EQ(to_string(judgement.verdict), to_string(line.verdict)) << line.what;
    EXPECT_EQ(doubt_names(judgement), line.doubts) << line.what;
  }
}

TEST(Verdict, WhatTheScanSeesCounts) {
  const Line lines[] = {
      {"as the map has it", [](Evidence&) {}, Verdict::reliable, ""},
      {"a parked car more", [](Evidence& e) { e.sight->unmapped = 0.06; }, Verdict::reliable, ""},
      {"another floor",
       [](Evidence& e) {
         e.sight = {0.06, 0.05, 1};
       },
       Verdict::not_found, "contradicted"},
      {"a sparse map", [](Evidence& e) { e.matched = 0.7; }, Verdict::reliable, ""},
      {"too sparse", [](Evidence& e) { e.matched = 0.68; }, Verdict::not_found, "few_matched"},
      {"sparse, a parked car", [](Evidence& e) { e.matched = 0.7, e.sight->unmapped = 0.06; },
       Verdict::not_found, "few_matched"},
      {"held by what it sees", [](Evidence& e) { e.stop = Stop::degenerate, e.sight->unmapped = 0; },
       Verdict::reliable, ""},
      {"not held", [](Evidence& e) { e.stop = Stop::degenerate, e.sight->seen_through = 0.02; },
       Verdict::ambiguous, "free_direction"},
      {"hardly a map",
       [](Evidence& e) {
         e.stop = Stop::degenerate, e.sight = {0, 0, 0.4};
       },
       Verdict::ambiguous, "free_direction"},
      {"a rival that was not ruled out", [](Evidence& e) { e.runner_up_ratio = 0.95; }, Verdict::ambiguous,
       "rival"},
      {"soft", [](Evidence& e) { e.spread_m = e.spread_in_mode_m = 0.3; }, Verdict::reliable, ""},
      {"softer", [](Evidence& e) { e.spread_m = e.spread_in_mode_m = 0.6; }, Verdict::ambiguous, "spread"},
      {"alone", [](Evidence& e) { e.spread_m = 8, e.agreeing = 1; }, Verdict::reliable, ""}};
  for (const Line& line : lines) {
    Evidence evidence = good();
    evidence.sight = {0.01, 0.01, 1};
    line.change(evidence);
    const Judgement judgement = judge(evidence, kBounds);
    EXPECT_EQ(to_string(judgement.verdict), to_string(line.verdict)) << line.what;
    EXPECT_EQ(doubt_names(judgement), line.doubts) << line.what;
  }
}

TEST(Verdict, FewerMatchedPointsAreEnoughOnlyBesideAKnownNvtl) {
  Evidence sparse = good();
  sparse.sight = {0, 0, 1};
  sparse.matched = 0.7;
  EXPECT_EQ(judge(sparse, kBounds).verdict, Verdict::reliable);
  EXPECT_EQ(doubt_names(judge(sparse, {{}, 0.8})), "few_matched");
}

TEST(Verdict, OnlyAClearAnswerRulesOthersOut) {
  Evidence evidence = good();
  EXPECT_FALSE(rules_out({1, 0, 1}, evidence)) << "nobody looked";
  evidence.sight = {0.01, 0.01, 1};
  EXPECT_TRUE(rules_out({0.03, 0.02, 1}, evidence));
  EXPECT_FALSE(rules_out({0.02, 0.01, 1}, evidence)) << "hardly worse";
  evidence.sight = {0.03, 0.03, 1};
  EXPECT_FALSE(rules_out({0.5, 0.5, 1}, evidence));
}

TEST(Verdict, OneKnownBoundIsEnough) {
  EXPECT_EQ(judge(good(), {2.4, {}}).verdict, Verdict::reliable);
  EXPECT_EQ(judge(good(), {{}, 0.8}).verdict, Verdict::reliable);
  EXPECT_EQ(judge(good(), {{}, 0.95}).verdict, Verdict::not_found);
  EXPECT_EQ(judge(good(), {}).verdict, Verdict::unknown);
  EXPECT_EQ(doubt_names(judge(good(), {})), "unknown_scale");
  Evidence rival = good();
  rival.runner_up_ratio = 1;
  EXPECT_EQ(judge(rival, {}).verdict, Verdict::ambiguous) << "that needs no scale";
}

TEST(Verdict, WhatWasNotSearchedLeavesItUnknownUnlessMoreSpeaksAgainstIt) {
  Judgement firm = judge(good(), {2.4, {}});
  add_doubt(firm, Doubt::partly_searched);
  EXPECT_EQ(firm.verdict, Verdict::unknown);
  Evidence rival = good();
  rival.runner_up_ratio = 1;
  Judgement ambiguous = judge(rival, {2.4, {}});
  add_doubt(ambiguous, Doubt::partly_searched);
  EXPECT_EQ(ambiguous.verdict, Verdict::ambiguous);
  EXPECT_EQ(doubt_names(ambiguous), "rival, partly_searched");
}

TEST(Verdict, EveryDoubtAloneHasAVerdictThatIsNotReliable) {
  for (const Doubt doubt : all_values<Doubt>()) EXPECT_NE(verdict_of(doubt), Verdict::reliable);
  EXPECT_EQ(verdict_of(Doubt::few_matched), Verdict::not_found);
  EXPECT_EQ(verdict_of(Doubt::rival), Verdict::ambiguous);
  EXPECT_EQ(verdict_of(Doubt::unknown_scale), Verdict::unknown);
}

}  // namespace
}  // namespace ndt::initial_pose
