// The laps of SearchTimes.
#pragma once

#include <chrono>

#include "ndt/initial_pose/search_result.hpp"

namespace ndt::initial_pose {

/// Counts time from one lap to the next. A search has some 40 laps of 30 ns.
class SearchClock {
 public:
  /// Begins a part: the laps that follow belong to it.
  void begin(SearchPart part) {
    lap(SearchWork::choose);
    part_ = static_cast<std::size_t>(part);
  }
  /// Counts the time since the last lap as the work's.
  void lap(SearchWork work) {
    const Clock::time_point now = Clock::now();
    times_.us[part_][static_cast<std::size_t>(work)] +=
        std::chrono::duration<double, std::micro>(now - last_).count();
    last_ = now;
  }
  void count_batch() { ++times_.batches[part_]; }
  const SearchTimes& times() const { return times_; }

 private:
  using Clock = std::chrono::steady_clock;
  SearchTimes times_;
  std::size_t part_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace ndt::initial_pose
