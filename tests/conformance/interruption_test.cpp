// Ending an alignment early, on every implementation: by a deadline and by a request.
#include <chrono>
#include <thread>

#include "every_implementation.hpp"

namespace ndt {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;

const Transform kEndlessGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

/// Newton steps for as long as they are let: no step is short enough to end it.
AlignOptions endless() {
  AlignOptions options;
  options.max_iterations = 1000;
  options.epsilon_m = 1e-300;
  return options;
}

class Interruption : public EveryImplementation {};

TEST_P(Interruption, ADeadlineInThePastGivesTheGuessWithItsScore) {
  const auto aligner = in_courtyard();
  PerScan per_scan;
  per_scan.deadline = steady_clock::now() - milliseconds(1);
  const AlignResult got = aligner->align(test_clouds::scan(), kEndlessGuess, per_scan);
  EXPECT_EQ(got.stop, Stop::timeout);
  EXPECT_EQ(got.iterations, 0);
  EXPECT_TRUE(same_bits(got.map_from_scan, kEndlessGuess));
  EXPECT_EQ(got.score, aligner->evaluate(test_clouds::scan(), kEndlessGuess).score);
}

TEST_P(Interruption, ARequestBeforeTheStartCancelsAtTheGuess) {
  std::stop_source source;
  source.request_stop();
  PerScan per_scan;
  per_scan.stop = source.get_token();
  const AlignResult got = in_courtyard()->align(test_clouds::scan(), kEndlessGuess, per_scan);
  EXPECT_EQ(got.stop, Stop::cancelled);
  EXPECT_EQ(got.iterations, 0);
  EXPECT_TRUE(same_bits(got.map_from_scan, kEndlessGuess));
}

TEST_P(Interruption, ADeadlineOnTheWayGivesAnImprovedPoseSoon) {
  const auto aligner = in_courtyard(endless());
  const double at_guess = aligner->evaluate(test_clouds::scan(), kEndlessGuess).score;
  AlignResult got;
  milliseconds allowed(10);
  steady_clock::duration took{};
  do {  // on a busy machine the first evaluation alone may take longer
    allowed *= 4;
    PerScan per_scan;
    const auto start = steady_clock::now();
    per_scan.deadline = start + allowed;
    got = aligner->align(test_clouds::scan(), kEndlessGuess, per_scan);
    took = steady_clock::now() - start;
  } while (got.iterations == 0 && allowed < milliseconds(5000));
  if (got.stop == Stop::max_iterations)
    GTEST_SKIP() << "1000 iterations took less than " << allowed.count() << " ms";
  EXPECT_EQ(got.stop, Stop::timeout);
  EXPECT_GT(got.iterations, 0);
  EXPECT_GT(got.score, at_guess);
  EXPECT_GE(took, allowed);
  EXPECT_LT(took, allowed + milliseconds(2000)) << "an evaluation is a few milliseconds on an idle machine";
}

TEST_P(Interruption, ARequestFromAnotherThreadCancelsOnTheWay) {
  const auto aligner = in_courtyard(endless());
  std::stop_source source;
  PerScan per_scan;
  per_scan.stop = source.get_token();
  std::jthread canceller([&] {
    std::this_thread::sleep_for(milliseconds(20));
    source.request_stop();
  });
  const AlignResult got = aligner->align(test_clouds::scan(), kEndlessGuess, per_scan);
  if (got.stop == Stop::max_iterations) GTEST_SKIP() << "1000 iterations took less than 20 ms here";
  EXPECT_EQ(got.stop, Stop::cancelled);
  EXPECT_LT(got.iterations, 1000);
}

TEST_P(Interruption, AnInterruptedAlignerGoesOnAsBefore) {
  const auto aligner = in_courtyard();
  const AlignResult before = aligner->align(test_clouds::scan(), kEndlessGuess);
  PerScan per_scan;
  per_scan.deadline = steady_clock::now();
  aligner->align(test_clouds::scan(), kEndlessGuess, per_scan);
  per_scan.deadline = steady_clock::now() + std::chrono::hours(1);
  const AlignResult after = aligner->align(test_clouds::scan(), kEndlessGuess, per_scan);
  EXPECT_EQ(after.stop, before.stop);
  EXPECT_TRUE(same_bits(after.map_from_scan, before.map_from_scan));
}

NDT_ON_EVERY_IMPLEMENTATION(Interruption);

}  // namespace
}  // namespace ndt
