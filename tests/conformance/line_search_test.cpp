// Tests a line search from guesses that need one: the fixed step creeps (its limit is short) or overshoots
// (its limit is long).
#include <algorithm>
#include <cstdio>

#include "every_implementation.hpp"

namespace ndt {
namespace {

/// Large yaw errors at the right place, and far guesses with a small one.
std::vector<Transform> hard_guesses() {
  std::vector<Transform> out;
  for (const double degrees : {8, 12, 16, 20})
    for (const int sign : {-1, 1})
      out.push_back(to_transform({0.1, -0.1, 0, 0, 0, sign * degrees * kPi / 180}));
  for (const double metres : {0.8, 1.2, 1.6, 2.0})
    for (int k = 0; k < 4; ++k) {
      const double bearing = k * kPi / 2 + 0.4;
      out.push_back(to_transform({metres * std::cos(bearing), metres * std::sin(bearing), 0.05, 0, 0, 0.02}));
    }
  return out;
}

struct Summary {
  double iterations = 0, evaluations = 0, score = 0;  // medians
  int within_5_cm = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Summary align_all(Aligner& aligner) {
  std::vector<double> iterations, evaluations, scores;
  Summary out;
  for (const Transform& guess : hard_guesses()) {
    const AlignResult r = aligner.align(test_clouds::scan(), guess);
    iterations.push_back(r.iterations), evaluations.push_back(r.evaluations), scores.push_back(r.score);
    out.within_5_cm += translation_error_m(r.map_from_scan, Transform{}) < 0.05 ? 1 : 0;
  }
  out.iterations = median(iterations), out.evaluations = median(evaluations), out.score = median(scores);
  return out;
}

class HardGuesses : public EveryImplementation {};

TEST_P(HardGuesses, NeedNoMoreIterationsWithALineSearchAndScoreNoLower) {
  if (peer()) GTEST_SKIP() << GetParam().name << " may have one way only to choose a step's length";
  struct Setting {
    LineSearch search;
    StepRatios step_ratios;
  };
  const Setting settings[] = {{LineSearch::more_thuente, {}},
                              {LineSearch::batched, StepRatios::fixed8},
                              {LineSearch::batched, StepRatios::golden_ratio}};
  for (const double step_m : {0.1, 1.0}) {
    AlignOptions options;
    options.step_m = step_m;
    options.threads = 1;
    const Summary fixed = align_all(*in_courtyard(options));
    const auto print = [&](const char* name, const char* set, const Summary& s) {
      std::printf(
          "%s, step up to %.1f m, %s %s: median iterations %.0f, evaluations %.0f, score %.1f; %d of %zu "
          "within 5 cm\n",
          GetParam().name.data(), step_m, name, set, s.iterations, s.evaluations, s.score, s.within_5_cm,
          hard_guesses().size());
    };
    print("off", "", fixed);
    for (const Setting& setting : settings) {
      options.line_search = setting.search;
      options.step_ratios = setting.step_ratios;
      const Summary searched = align_all(*in_courtyard(options));
      const bool batched = setting.search == LineSearch::batched;
      print(to_string(setting.search).data(), batched ? to_string(setting.step_ratios).data() : "", searched);
      EXPECT_LE(searched.iterations, fixed.iterations);
      EXPECT_GE(searched.score, fixed.score);
      EXPECT_GE(searched.within_5_cm, fixed.within_5_cm);
    }
  }
}

NDT_ON_EVERY_IMPLEMENTATION(HardGuesses);

}  // namespace
}  // namespace ndt
