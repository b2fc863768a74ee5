// A device's time, and the laps of a kernel's first thread, for StageTimes, and how often it met others.
// Without the build option NDT_STAGE_CLOCK there is nothing of laps and meetings in a kernel.
#pragma once

#include "ndt/core/counters.hpp"

namespace ndt {

/// Cycles of the first thread's multiprocessor, and what they are in time.
struct StageCycles {
  long long begin = 0, sections[kSectionCount][kStepCount] = {}, total = 0;
  long long total_ns = 0;
  long long meetings[kMeetingCount] = {};  ///< no cycles: how many
};

/// Time of the device, whose beginning is unspecified.
__device__ inline long long nanoseconds() {
  long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

#if defined(NDT_STAGE_CLOCK)

struct DeviceClock {
  StageCycles cycles;
  long long first, last, first_ns;
  int section;
};

__device__ inline DeviceClock& device_clock() {
  __shared__ DeviceClock clock;
  return clock;
}
__device__ inline bool has_the_clock() { return blockIdx.x == 0 && threadIdx.x == 0; }

__device__ inline void start_clock() {
  if (!has_the_clock()) return;
  DeviceClock& clock = device_clock();
  clock.cycles = {};
  clock.section = -1;
  clock.first_ns = nanoseconds();
  clock.first = clock.last = clock64();
}
/// Begins a section: the laps that follow belong to it.
__device__ inline void enter(Section section) {
  if (!has_the_clock()) return;
  DeviceClock& clock = device_clock();
  if (clock.section < 0) {
    const long long now = clock64();
    clock.cycles.begin = now - clock.last;
    clock.last = now;
  }
  clock.section = static_cast<int>(section);
}
__device__ inline void lap(Step step) {
  if (!has_the_clock()) return;
  DeviceClock& clock = device_clock();
  if (clock.section < 0) return;
  const long long now = clock64();
  clock.cycles.sections[clock.section][static_cast<int>(step)] += now - clock.last;
  clock.last = now;
}
__device__ inline void count_meeting(Meeting meeting) {
  if (has_the_clock()) ++device_clock().cycles.meetings[static_cast<int>(meeting)];
}
__device__ inline void stop_clock(StageCycles* out) {
  if (!has_the_clock()) return;
  DeviceClock& clock = device_clock();
  clock.cycles.total = clock64() - clock.first;
  clock.cycles.total_ns = nanoseconds() - clock.first_ns;
  *out = clock.cycles;
}

#else

__device__ inline void start_clock() {}
__device__ inline void enter(Section) {}
__device__ inline void lap(Step) {}
__device__ inline void count_meeting(Meeting) {}
__device__ inline void stop_clock(StageCycles*) {}

#endif

/// A barrier of the block.
__device__ inline void block_barrier() {
  __syncthreads();
  count_meeting(Meeting::block_barrier);
}

}  // namespace ndt
