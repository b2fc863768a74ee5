// The transfers, launches, waits and allocations of an implementation on a device, counted where it calls
// CUDA. Implementations on the CPU have none. Beside them, the times of an alignment's stages, which
// `ndt-bench profile` prints. Only a build with the CMake option NDT_STAGE_CLOCK reads a clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ndt {

/// How often the blocks of one alignment met inside kernels, of which the host sees nothing.
struct Meetings {
  std::int64_t exchanges = 0;  ///< sums that the blocks put together from a part of each
  std::int64_t barriers = 0;   ///< times that all blocks of a grid or a cluster waited for one another
};

/// Totals since an aligner or a resident map was made. The counts of one alignment are the difference of two
/// totals.
struct Traffic {
  std::int64_t upload_bytes = 0, uploads = 0;      ///< host to device: bytes and copies
  std::int64_t download_bytes = 0, downloads = 0;  ///< device to host
  std::int64_t launches = 0;           ///< kernels and graphs started by the host, not the kernels in a graph
  std::int64_t synchronisations = 0;   ///< times the host waited for the device
  std::int64_t allocations = 0;        ///< allocations of device and pinned memory
  std::int64_t device_bytes = 0;       ///< device memory held now; peak_device_bytes is the most so far
  std::int64_t peak_device_bytes = 0;  ///< most device memory held so far
  std::optional<Meetings> meetings = Meetings{};  ///< of all alignments; nothing if one's are not known
};

/// Adds a part to a total, which is not known if one of its parts is not.
inline void add(const std::optional<Meetings>& part, std::optional<Meetings>& total) {
  if (!part || !total) {
    total.reset();
    return;
  }
  total->exchanges += part->exchanges, total->barriers += part->barriers;
}

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

/// The way in which a kernel's threads meet. Blocks exchange a sum, all blocks of a grid or a cluster wait
/// for one another, or the threads of a block do.
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
