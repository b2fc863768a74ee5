// How the host waits, and whose kernels come first: neither changes a result.
#include <cuda_runtime.h>

#include <chrono>
#include <stop_token>

#include "device_implementations.hpp"
#include "ndt/cuda/context.cuh"
#include "ndt/cuda/device.hpp"

namespace ndt {
namespace {

const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

class Waits : public DeviceImplementation {
 protected:
  /// An alignment, one with a deadline that it keeps, a batch, and scores.
  static void expect_same_answers(Aligner& aligner, const AlignResult& expected, const std::string& name) {
    EXPECT_TRUE(harness::same_bits(expected, aligner.align(test_clouds::scan(), kGuess))) << name;
    PerScan timed;
    timed.deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    EXPECT_TRUE(harness::same_bits(expected, aligner.align(test_clouds::scan(), kGuess, timed))) << name;
    const std::vector<Transform> guesses(3, kGuess);
    std::vector<AlignResult> results(3);
    aligner.align_batch(test_clouds::scan(), guesses, results);
    for (const AlignResult& result : results) EXPECT_TRUE(harness::same_bits(expected, result)) << name;
    std::vector<Score> scores(3);
    aligner.score_batch(test_clouds::scan(), guesses, scores);
    EXPECT_EQ(scores[0].score, scores[2].score) << name;
  }
};

TEST_P(Waits, AndPrioritiesOfAnyKindGiveTheSameBits) {
  const AlignResult expected = in_courtyard()->align(test_clouds::scan(), kGuess);
  for (const Wait wait : all_values<Wait>())
    for (const StreamPriority priority : all_values<StreamPriority>()) {
      AlignOptions options;
      options.wait = wait;
      options.stream_priority = priority;
      expect_same_answers(*in_courtyard(options), expected,
                          std::string(to_string(wait)) + ", " + std::string(to_string(priority)));
    }
}

TEST_P(Waits, OfAnyKindEndAtADeadlineAndOnAStop) {
  for (const Wait wait : all_values<Wait>()) {
    AlignOptions options;
    options.wait = wait;
    const auto aligner = in_courtyard(options);
    PerScan late;
    late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    EXPECT_EQ(aligner->align(test_clouds::scan(), kGuess, late).stop, Stop::timeout) << to_string(wait);
    std::stop_source stop;
    stop.request_stop();
    PerScan stopped;
    stopped.stop = stop.get_token();
    EXPECT_EQ(aligner->align(test_clouds::scan(), kGuess, stopped).stop, Stop::cancelled) << to_string(wait);
  }
}

NDT_ON_DEVICE_IMPLEMENTATIONS(Waits);

TEST(StreamPriorities, AreThoseOfTheStreamsOfAContext) {
  if (const std::string& reason = cuda_state().unavailable; !reason.empty()) GTEST_SKIP() << reason;
  int least = 0, greatest = 0;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  const auto priority_of = [](const cuda::Context& context) {
    int priority = 1;
    EXPECT_EQ(cudaStreamGetPriority(context.stream(), &priority), cudaSuccess);
    EXPECT_EQ(context.priority(), priority);
    return priority;
  };
  EXPECT_EQ(priority_of(cuda::Context()), 0);
  EXPECT_EQ(priority_of(cuda::Context(0, Wait::spin, StreamPriority::high)), greatest);
  EXPECT_LT(greatest, 0) << "this device has one priority only";
}

}  // namespace
}  // namespace ndt
