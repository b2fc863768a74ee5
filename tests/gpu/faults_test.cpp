// A device that fails: every CUDA call of every phase once, and an error that loses the device.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <regex>

#include "device_implementations.hpp"
#include "message_of.hpp"
#include "ndt/cuda/context.cuh"
#include "points_on_device.hpp"
#include "tiles.hpp"

namespace ndt {
namespace {

const Transform kGuess = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

/// Few iterations: they all make the same calls.
AlignOptions short_options() {
  AlignOptions options;
  options.max_iterations = 2;
  return options;
}

const PointCloud& other_map() {
  static const PointCloud map = [] {
    PointCloud moved = test_clouds::map();
    for (Point& p : moved.points) p.x += 0.7F;
    return moved;
  }();
  return map;
}

class Disarmed {
 public:
  Disarmed(int nth, cudaError_t code) { cuda::inject_fault(nth, code); }
  ~Disarmed() { cuda::inject_fault(0, cudaSuccess); }
};

/// Returns the message that a call throws while the nth CUDA call fails, empty if none.
std::string thrown_by(int nth, cudaError_t code, const std::function<void()>& call) {
  const Disarmed fault(nth, code);
  return message_of<std::runtime_error>(call);
}

class Faults : public DeviceImplementation {
 protected:
  using Phase = std::function<void(Aligner&)>;

  /// Fails every CUDA call of a phase in turn, each on a new aligner, until the phase works. After each
  /// failure the aligner must go on as if nothing had been.
  void fail_every_call_of(const char* name, const Phase& phase) {
    const AlignResult before = in_courtyard(short_options())->align(test_clouds::scan(), kGuess);
    const long long held = cuda::live_allocations();
    int failures = 0;
    for (bool failed = true; failed && failures < 2000 && !HasFailure();) {
      {
        const auto aligner = in_courtyard(short_options());
        const std::string error =
            thrown_by(failures + 1, cudaErrorMemoryAllocation, [&] { phase(*aligner); });
        failed = !error.empty();
        if (failed) {
          ++failures;
          const std::string where = std::string(name) + ", call " + std::to_string(failures);
          expect_names_the_call(error, where);
          const AlignResult after = aligner->align(test_clouds::scan(), kGuess);
          EXPECT_TRUE(harness::same_bits(before, after)) << where << ": " << error;
          phase(*aligner);
        }
      }
      EXPECT_EQ(cuda::live_allocations(), held) << name << ", call " << failures;
    }
    EXPECT_GT(failures, 5) << name;
    EXPECT_LT(failures, 2000) << name;
    std::printf("%s, %s: %d CUDA calls failed in turn\n", GetParam().name.data(), name, failures);
  }
  static void expect_names_the_call(const std::string& error, const std::string& where) {
    static const std::regex shape(
        R"(modules/\S+:\d+: (cuda|cub::|cusolver)\S+( \(size\))?: out of memory \(cudaErrorMemoryAllocation\))");
    EXPECT_TRUE(std::regex_match(error, shape)) << where << ": " << error;
  }
};

TEST_P(Faults, WhileAnAlignerIsMadeLeaveNothingBehind) {
  const AlignResult before = in_courtyard(short_options())->align(test_clouds::scan(), kGuess);
  const long long held = cuda::live_allocations();
  int failures = 0;
  for (;; ++failures) {
    const std::string error =
        thrown_by(failures + 1, cudaErrorMemoryAllocation, [&] { GetParam().make(short_options()); });
    EXPECT_EQ(cuda::live_allocations(), held) << "call " << failures + 1;
    if (error.empty() || failures > 1000) break;
    expect_names_the_call(error, "call " + std::to_string(failures + 1));
  }
  EXPECT_GT(failures, 3);
  EXPECT_LT(failures, 1000);
  // The calls of the rehearsal come next, and an aligner does without one.
  for (int nth = failures + 1; nth < failures + 150; nth += 7) {
    std::unique_ptr<Aligner> aligner;
    const auto make = [&] { aligner = GetParam().make(short_options()); };
    ASSERT_EQ(thrown_by(nth, cudaErrorMemoryAllocation, make), "") << "call " << nth;
    aligner->expect_scan();
    aligner->set_map(test_clouds::map());
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess))) << "call " << nth;
  }
  EXPECT_EQ(cuda::live_allocations(), held);
}

TEST_P(Faults, InSetMapKeepThePreviousMap) {
  fail_every_call_of("set_map", [](Aligner& aligner) { aligner.set_map(other_map()); });
}

TEST_P(Faults, InATracedAlignmentLeaveTheAlignerAsItWas) {
  fail_every_call_of("align", [](Aligner& aligner) {
    PerScan traced;
    traced.trace = true;  // the memory for all else is there from the start
    aligner.align(test_clouds::scan(), kGuess, traced);
  });
}

TEST_P(Faults, InABatchBehindOneAlignmentLeaveTheAlignerAsItWas) {
  fail_every_call_of("align_batch", [](Aligner& aligner) {
    PerScan traced;
    traced.trace = true;
    std::vector<Transform> guesses(7, kGuess);
    std::vector<AlignResult> results(7);
    aligner.align_batch(part_of_scan(500), guesses, results, traced);
  });
}

TEST_P(Faults, InEvaluateAndScoreBatchLeaveTheAlignerAsItWas) {
  fail_every_call_of("evaluate", [](Aligner& aligner) {
    PerScan scored;
    scored.point_scores = true;
    aligner.evaluate(test_clouds::scan(), kGuess, scored);
  });
  fail_every_call_of("score_batch", [](Aligner& aligner) {
    const std::vector<Transform> poses(5, kGuess);
    std::vector<Score> scores(5);
    aligner.score_batch(test_clouds::scan(), poses, scores);
  });
}

TEST_P(Faults, WithPointsOnTheDeviceLeaveTheAlignerAsItWas) {
  PointCloud gaps = test_clouds::scan();
  gaps.points[7].x = std::nanf("");
  const PointsOnDevice map(other_map()), scan(test_clouds::scan()), with_gaps(gaps);
  fail_every_call_of("set_map of the device", [&](Aligner& aligner) { aligner.set_map(map); });
  fail_every_call_of("align of the device", [&](Aligner& aligner) {
    aligner.align(scan, kGuess);
    aligner.align(with_gaps, kGuess);
  });
}

TEST_P(Faults, InALaterBatchDoNotLeaveGraphsOfBuffersThatMoved) {
  const auto aligner = in_courtyard(short_options());
  const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
  const auto batch = [&](std::size_t poses) {
    const std::vector<Transform> guesses(poses, kGuess);
    std::vector<AlignResult> results(poses);
    aligner->align_batch(test_clouds::scan(), guesses, results);
    for (const AlignResult& result : results) EXPECT_TRUE(harness::same_bits(before, result));
  };
  std::size_t poses = 1;
  for (int nth = 1; nth <= 40; ++nth) {
    poses += 3;
    thrown_by(nth, cudaErrorMemoryAllocation, [&] { batch(poses); });
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess))) << nth;
    batch(poses);
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess))) << nth;
  }
}

TEST_P(Faults, WhileAMapIsBuiltOfTilesLeaveTheOneInForceAndTheTiles) {
  const auto aligner = in_courtyard(short_options());
  const auto resident = aligner->resident_map();
  const Tiles tiles = cut(test_clouds::map(), 16);
  add_all(*resident, tiles);
  const TileId some = std::next(tiles.begin(), 3)->first;
  const auto update = [&] {
    if (std::ranges::count(resident->ids(), some) > 0) resident->remove(some);
    resident->add(some, tiles.at(some));
    aligner->exchange_map(resident->build());
  };
  update(), update();
  const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
  const long long held = cuda::live_allocations();
  int failures = 0;
  for (; failures < 2000 && !HasFailure(); ++failures) {
    const std::string error = thrown_by(failures + 1, cudaErrorMemoryAllocation, update);
    if (error.empty()) break;
    const std::string where = "call " + std::to_string(failures + 1);
    expect_names_the_call(error, where);
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess))) << where;
    update();
    EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess))) << where;
    EXPECT_EQ(cuda::live_allocations(), held) << where;
  }
  EXPECT_GT(failures, 20);
  EXPECT_LT(failures, 2000);
}

TEST_P(Faults, ThatLoseTheDeviceAreRepeatedByEveryLaterCallAndOthersGoOn) {
  const AlignResult before = in_courtyard(short_options())->align(test_clouds::scan(), kGuess);
  const long long held = cuda::live_allocations();
  {
    const auto aligner = in_courtyard(short_options());
    const std::string error =
        thrown_by(2, cudaErrorIllegalAddress, [&] { aligner->align(test_clouds::scan(), kGuess); });
    EXPECT_NE(error.find("cudaErrorIllegalAddress"), std::string::npos) << error;
    const long long calls = cuda::calls_made();
    std::vector<Score> scores(1);
    const std::function<void()> later[] = {[&] { aligner->align(test_clouds::scan(), kGuess); },
                                           [&] { aligner->evaluate(test_clouds::scan(), kGuess); },
                                           [&] {
                                             aligner->score_batch(test_clouds::scan(), {&kGuess, 1}, scores);
                                           },
                                           [&] { aligner->set_map(test_clouds::map()); },
                                           [&] { aligner->voxels(); }};
    for (const auto& call : later) EXPECT_EQ(thrown_by(0, cudaSuccess, call), error);
    EXPECT_EQ(cuda::calls_made(), calls) << "a lost device is not asked again";
  }
  EXPECT_EQ(cuda::live_allocations(), held);
  EXPECT_TRUE(harness::same_bits(before, in_courtyard(short_options())->align(test_clouds::scan(), kGuess)));
}

NDT_ON_DEVICE_IMPLEMENTATIONS(Faults);

const Implementation& persistent_cuda() {
  static const auto entries = device_implementations();
  return *std::ranges::find(entries, "persistent_cuda", &Implementation::name);
}

std::unique_ptr<Aligner> persistent_in_courtyard(StepControl control) {
  AlignOptions options = short_options();
  options.step_control = control;
  auto aligner = persistent_cuda().make(options);
  aligner->set_map(test_clouds::map());
  return aligner;
}

/// As a device of which other programs have a share.
TEST(RefusedGrids, AreLaunchedWithFewerBlocksAndGiveTheSameBits) {
  if (const std::string reason = persistent_cuda().unavailable_reason(); !reason.empty())
    GTEST_SKIP() << reason;
  for (const StepControl control : all_values<StepControl>()) {
    const auto aligner = persistent_in_courtyard(control);
    const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
    const auto expect_same = [&](const AlignResult& result) {
      EXPECT_TRUE(harness::same_bits(before, result));
    };
    int smaller = 0;
    for (int last = -1; last != smaller && smaller < 100;) {
      last = smaller;
      for (int nth = 1;; ++nth) {
        const long long calls = cuda::calls_made();
        const std::string error = thrown_by(nth, cudaErrorCooperativeLaunchTooLarge, [&] {
          expect_same(aligner->align(test_clouds::scan(), kGuess));
        });
        if (cuda::calls_made() - calls < nth) break;
        if (error.empty()) ++smaller;
        expect_same(aligner->align(test_clouds::scan(), kGuess));
      }
    }
    EXPECT_GE(smaller, 4) << "from a block for each chunk or multiprocessor down to one";
    EXPECT_LE(smaller, 8);
    const std::vector<Transform> guesses(3, kGuess);
    std::vector<AlignResult> results(3);
    aligner->align_batch(test_clouds::scan(), guesses, results);
    for (const AlignResult& result : results) expect_same(result);
  }
}

/// Tests persistent_cuda, whose blocks wait for words of others. The device keeps the blocks of other teams
/// together.
TEST(MissingBlocks, EndTheAlignmentWithinASecondAndTheAlignerGoesOn) {
  if (const std::string reason = persistent_cuda().unavailable_reason(); !reason.empty())
    GTEST_SKIP() << reason;
  for (const StepControl control : all_values<StepControl>()) {
    const auto aligner = persistent_in_courtyard(control);
    const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
    for (const std::size_t poses : {1U, 2U}) {
      const std::vector<Transform> guesses(poses, kGuess);
      std::vector<AlignResult> results(poses);
      cuda::inject_missing_blocks();
      const auto begin = std::chrono::steady_clock::now();
      const std::string error =
          thrown_by(0, cudaSuccess, [&] { aligner->align_batch(test_clouds::scan(), guesses, results); });
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << poses;
      static const std::regex shape(
          R"(align: block \d+ of \d+ did not arrive in exchange 1 of the launch within 500 ms; the aligner )"
          R"(can be used again\. .*)");
      EXPECT_TRUE(std::regex_match(error, shape)) << error;
      EXPECT_TRUE(harness::same_bits(before, aligner->align(test_clouds::scan(), kGuess))) << poses;
    }
  }
}

}  // namespace
}  // namespace ndt
