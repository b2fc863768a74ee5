// The host's laps of StageTimes. Reads no clock unless the build has the option NDT_STAGE_CLOCK.
#pragma once

#include <chrono>

#include "ndt/core/stage_times.hpp"

namespace ndt {

#if defined(NDT_STAGE_CLOCK)
inline constexpr bool kStageClock = true;
#else
inline constexpr bool kStageClock = false;
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
