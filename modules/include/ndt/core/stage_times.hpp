// The times of an alignment's stages, in a build with the CMake option NDT_STAGE_CLOCK: the account that
// `ndt-bench profile` prints. Other builds read no clock.
#pragma once

#include <string_view>

namespace ndt {

/// Stages of an alignment in the host's order. An implementation on the CPU has no stage between align and
/// result.
enum class HostStage { prepare, align, upload, launch, wait, word, wait_for_pushes, result };
/// In words, in the order of HostStage.
inline constexpr std::string_view kHostStages[] = {"check and copy the scan",
                                                   "align",
                                                   "upload",
                                                   "launch",
                                                   "wait for the pose",
                                                   "word the conditioning",
                                                   "wait for the pushes",
                                                   "write the result"};
/// Number of them.
inline constexpr int kHostStageCount = sizeof(kHostStages) / sizeof(kHostStages[0]);

/// The part of an alignment that a kernel is at: the loop, or one of the two sums of its ending.
enum class Section { loop, surfaces, pushes };
/// The steps of the kernel's first thread in a section, one after the other, once for each sum.
enum class Step { sum, exchange, solve };
/// Number of values of Section.
inline constexpr int kSectionCount = 3;
/// Number of values of Step.
inline constexpr int kStepCount = 3;

/// How a kernel's threads meet: blocks exchange a sum, all blocks of a grid or a cluster wait for one
/// another, or the threads of a block do.
enum class Meeting { exchange, team_barrier, block_barrier };
/// In words, in the order of Meeting.
inline constexpr std::string_view kMeetings[] = {"exchanges of sums", "barriers of all blocks",
                                                 "barriers of a block"};
/// Number of them.
inline constexpr int kMeetingCount = sizeof(kMeetings) / sizeof(kMeetings[0]);

/// The savings that shorten an alignment on a GPU. A build with NDT_STAGE_CLOCK can do without each, to show
/// what it is worth. The kernel fetches the scan itself, is launched as a graph, and is launched before the
/// host checks and copies the scan. Threads share points. The surfaces are summed beside the last evaluation.
/// The host words the pose while the pushes are summed.
enum class Saving { fetch, graph, ahead, sharing, beside, wording };
/// Names, in the order of Saving.
inline constexpr std::string_view kSavings[] = {"fetch", "graph", "ahead", "sharing", "beside", "wording"};

/// Times of one alignment [µs]. Those of the device lie within the host's waits, as the kernel's first thread
/// has them; they are 0 on the CPU.
struct StageTimes {
  double host_us[kHostStageCount] = {};                ///< by HostStage
  double begin_us = 0;                                 ///< from the kernel's first instruction to the loop
  double sections_us[kSectionCount][kStepCount] = {};  ///< of all evaluations together
  double device_us = 0;                                ///< from the kernel's first instruction to its last
  long long meetings[kMeetingCount] = {};              ///< by Meeting, counted by the kernel's first thread
};

}  // namespace ndt
