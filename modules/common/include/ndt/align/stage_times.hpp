// Where the time of an alignment goes, in a build with the CMake option NDT_STAGE_CLOCK: the account that
// `ndt-bench profile` prints. Other builds read no clock.
#pragma once

#include <string_view>

namespace ndt {

/// Stages of an alignment in the host's order. An implementation on the CPU has no stage between align and
/// result.
enum class HostStage { prepare, align, upload, launch, wait, word, wait_for_pushes, result };
inline constexpr std::string_view kHostStages[] = {"check and copy the scan",
                                                   "align",
                                                   "upload",
                                                   "launch",
                                                   "wait for the pose",
                                                   "word the conditioning",
                                                   "wait for the pushes",
                                                   "write the result"};
inline constexpr int kHostStageCount = sizeof(kHostStages) / sizeof(kHostStages[0]);

/// What a kernel is at: the loop, or one of the two sums of its ending.
enum class Section { loop, surfaces, pushes };
/// What its first thread does there, one after the other, once for each sum.
enum class Step { sum, exchange, solve };
inline constexpr int kSectionCount = 3, kStepCount = 3;

/// Times of one alignment [µs].
struct StageTimes {
  double host_us[kHostStageCount] = {};
  /// Within the host's waits, as the first thread of the kernel has it; 0 on the CPU. `begin` is everything
  /// before the first sum; device_us is from the kernel's first instruction to its last.
  double begin_us = 0, sections_us[kSectionCount][kStepCount] = {}, device_us = 0;
};

}  // namespace ndt
