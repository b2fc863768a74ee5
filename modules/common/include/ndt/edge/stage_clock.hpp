// The host's laps of StageTimes, and what is left out to see what it is worth. Without the build option
// NDT_STAGE_CLOCK no clock is read and nothing is left out.
#pragma once

#include <chrono>

#include "ndt/core/counters.hpp"

namespace ndt {

#if defined(NDT_STAGE_CLOCK)
inline constexpr bool kStageClock = true;
namespace detail {
inline unsigned left_out = 0;  // a bit for each Saving
}
/// Has this process do without a saving. To be called before an aligner is made.
inline void leave_out(Saving saving) { detail::left_out |= 1U << static_cast<unsigned>(saving); }
inline bool without(Saving saving) { return (detail::left_out >> static_cast<unsigned>(saving) & 1U) != 0; }
#else
inline constexpr bool kStageClock = false;
inline void leave_out(Saving) {}
inline constexpr bool without(Saving) { return false; }
#endif

class StageClock {
 public:
  void start() {
    if constexpr (kStageClock) times_ = {}, last_ = Clock::now();
  }
  /// Counts the time since the last lap as the stage's.
  void lap(HostStage stage) {
    if constexpr (kStageClock) {
      const Clock::time_point now = Clock::now();
      times_.host_us[static_cast<int>(stage)] +=
          std::chrono::duration<double, std::micro>(now - last_).count();
      last_ = now;
    }
  }
  const StageTimes& times() const { return times_; }

 private:
  using Clock = std::chrono::steady_clock;
  StageTimes times_;
  Clock::time_point last_;
};

}  // namespace ndt
