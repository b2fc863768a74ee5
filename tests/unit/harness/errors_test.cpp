#include "base/errors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <string>

#include "ndt/core/error.hpp"
#include "run/repeatability.hpp"

namespace ndt::harness {
namespace {

TEST(ExitCodes, EachKindOfFailureHasItsOwn) {
  EXPECT_EQ(exit_code_of(UsageError("")), ExitCode::usage);
  EXPECT_EQ(exit_code_of(std::invalid_argument("")), ExitCode::usage);
  EXPECT_EQ(exit_code_of(InputError("")), ExitCode::bad_input);
  EXPECT_EQ(exit_code_of(RegressionError("")), ExitCode::regression);
  EXPECT_EQ(exit_code_of(NoDeviceError("")), ExitCode::no_device);
  EXPECT_EQ(exit_code_of(std::bad_alloc()), ExitCode::jobs_failed);
  EXPECT_EQ(exit_code_of(std::runtime_error("")), ExitCode::jobs_failed);
}

TEST(ExitCodes, TheirNumbersAreAContract) {
  EXPECT_EQ(static_cast<int>(ExitCode::ok), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::usage), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::bad_input), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::regression), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::jobs_failed), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::no_device), 5);
}

TEST(PrintableName, OfALongNameTheBeginningAndTheEndAreShown) {
  EXPECT_EQ(printable_name(std::string(500, 'a')), std::string(500, 'a'));
  const std::string name = "maps/" + std::string(700, 'a') + "/site.pcd", shown = printable_name(name);
  EXPECT_EQ(shown, name.substr(0, 150) + "..." + name.substr(name.size() - 300));
}

TEST(PrintableName, ALongNameIsNotCutWithinACharacter) {
  for (std::size_t before = 0; before < 2; ++before) {
    std::string name(before, 'a');
    while (name.size() < 600) name += "\u00fc";
    const std::string shown = printable_name(name);
    const std::size_t cut = shown.find("...");
    ASSERT_NE(cut, std::string::npos);
    EXPECT_EQ((cut - before) % 2, 0u);
    EXPECT_EQ((shown.size() - cut - 3) % 2, 0u);
  }
}

TEST(SameBits, AnyDifferenceCounts) {
  const AlignResult a;
  EXPECT_TRUE(same_bits(a, a));
  const auto differs = [&](auto&& change) {
    AlignResult b;
    change(b);
    return !same_bits(a, b);
  };
  EXPECT_TRUE(differs([](AlignResult& r) { r.map_from_scan.m[3] = -0.0; }));
  EXPECT_TRUE(
      differs([](AlignResult& r) { r.map_from_scan.m[0] = 1 + std::numeric_limits<double>::epsilon(); }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.hessian.m[35] = 1e-300; }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.score = 1e-300; }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.nvtl = 1; }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.transform_probability = 1; }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.stop = Stop::converged; }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.iterations = 1; }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.correspondences = 1; }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.finish.emplace(); }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.conditioning.surface_condition_number = 1; }));
  EXPECT_TRUE(differs([](AlignResult& r) { r.conditioning.weak_direction[5] = 1; }));
}

TEST(SameBits, BothNumbersOfAFinishCount) {
  AlignResult a, step, score;
  a.finish = step.finish = score.finish = FinishStep{0.003, 2500};
  EXPECT_TRUE(same_bits(a, step));
  step.finish->step_m = 0.004, score.finish->score = 2501;
  EXPECT_FALSE(same_bits(a, step));
  EXPECT_FALSE(same_bits(a, score));
}

TEST(SameBits, NotANumberEqualsItself) {
  AlignResult a;
  a.score = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(same_bits(a, a));
}

}  // namespace
}  // namespace ndt::harness
