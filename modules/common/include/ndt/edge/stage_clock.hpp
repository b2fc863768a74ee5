// The host's stages of an alignment, one after the other, and the savings that are left out to see what they
// are worth. With CUDA each stage is also an NVTX range of the domain "ndt", for profilers. Without the build
// option NDT_STAGE_CLOCK no clock is read, no range opened and nothing left out.
#pragma once

#include <chrono>
#include <optional>

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

/// Opens a range of the calling thread, and closes the last one opened. The name ends with a 0.
#if defined(NDT_STAGE_CLOCK) && defined(NDT_WITH_CUDA)
void open_range(const char* name);
void close_range();
#else
inline void open_range(const char*) {}
inline void close_range() {}
#endif

/// Counts only while a StageSpan lives.
class StageClock {
 public:
  void reset() {
    if constexpr (kStageClock) times_ = {};
  }
  /// Ends the stage and begins the next, unless that is the same.
  void enter(HostStage next) {
    if constexpr (kStageClock)
      if (stage_ && *stage_ != next) {
        end();
        begin(next);
      }
  }
  const StageTimes& times() const { return times_; }

 private:
  friend class StageSpan;
  using Clock = std::chrono::steady_clock;

  void begin(HostStage stage) {
    stage_ = stage;
    open_range(kHostStages[static_cast<int>(stage)].data());
  }
  void end() {
    close_range();
    const Clock::time_point now = Clock::now();
    times_.host_us[static_cast<int>(*stage_)] +=
        std::chrono::duration<double, std::micro>(now - last_).count();
    last_ = now;
    stage_.reset();
  }

  StageTimes times_;
  std::optional<HostStage> stage_;
  Clock::time_point last_;  ///< when the stage began
};

/// Has a clock count while it lives, also to an exception; it begins with a stage.
class StageSpan {
 public:
  StageSpan(StageClock& clock, HostStage first) : clock_(clock) {
    if constexpr (kStageClock) {
      clock_.last_ = StageClock::Clock::now();
      clock_.begin(first);
    }
  }
  ~StageSpan() {
    if constexpr (kStageClock) clock_.end();
  }
  StageSpan(const StageSpan&) = delete;
  StageSpan& operator=(const StageSpan&) = delete;

 private:
  StageClock& clock_;
};

}  // namespace ndt
