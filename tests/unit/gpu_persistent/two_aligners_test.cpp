// Aligners beside each other, and one that is cancelled from outside: what a program with several threads
// does. Clean under ThreadSanitizer.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "ndt/gpu_persistent/implementations.hpp"
#include "test_clouds.hpp"

namespace ndt::gpu_persistent {
namespace {

const Transform kGuess = to_transform({0.3, -0.2, 0.1, 0.01, 0.02, 0.05});

std::unique_ptr<Aligner> in_courtyard(AlignOptions options) {
  options.threads = 2;
  auto aligner = make_aligner(implementations(), "persistent_cpu", options);
  aligner->set_map(test_clouds::map());
  return aligner;
}

TEST(TwoAligners, InTwoThreadsGiveTheBitsOfOneAlone) {
  AlignOptions searching;
  searching.line_search = LineSearch::more_thuente;
  const AlignResult alone = in_courtyard({})->align(test_clouds::scan(), kGuess);
  const AlignResult alone_searching = in_courtyard(searching)->align(test_clouds::scan(), kGuess);
  const auto expect_same = [](const AlignOptions& options, const AlignResult& expected) {
    const auto aligner = in_courtyard(options);
    for (int k = 0; k < 5; ++k) {
      const AlignResult got = aligner->align(test_clouds::scan(), kGuess);
      EXPECT_EQ(std::memcmp(&got.map_from_scan, &expected.map_from_scan, sizeof expected.map_from_scan), 0);
      EXPECT_EQ(got.score, expected.score);
    }
  };
  std::jthread first([&] { expect_same({}, alone); });
  std::jthread second([&] { expect_same(searching, alone_searching); });
}

TEST(TwoAligners, OneIsCancelledByAnotherThreadWhileItRuns) {
  AlignOptions endless;
  endless.max_iterations = 1000;
  endless.epsilon_m = 1e-300;
  const auto aligner = in_courtyard(endless);
  std::stop_source source;
  PerScan per_scan;
  per_scan.stop = source.get_token();
  AlignResult got;
  {
    std::jthread worker([&] { got = aligner->align(test_clouds::scan(), kGuess, per_scan); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    source.request_stop();
  }
  EXPECT_TRUE(got.stop == Stop::cancelled || got.stop == Stop::max_iterations) << to_string(got.stop);
}

}  // namespace
}  // namespace ndt::gpu_persistent
