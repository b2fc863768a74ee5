// Which scan is worked on next: one after the other, or, in real time, the newest that has arrived.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "localize/scan_sequence.hpp"

namespace ndt::harness {

/// Scans arrive at their times, `speed` times as fast as they were recorded.
struct RealTime {
  Clock* clock = nullptr;
  double speed = 1;
};

struct Arrival {
  std::size_t frame = 0;
  std::size_t dropped = 0;        ///< scans before it that arrived while another was worked on
  std::optional<double> delay_s;  ///< from its arrival to now, by the clock; nothing without one
};

/// Hands out the scans. In real time a queue holds one: a scan that arrives while another is worked on takes
/// the place of the one that waits, which is dropped. The last scan is never dropped. The first arrives with
/// the first call.
class Arrivals {
 public:
  Arrivals(const std::vector<TimedScan>& scans, const std::optional<RealTime>& real_time)
      : scans_(scans), real_time_(real_time) {}

  /// The next scan, which is waited for; nothing after the last.
  std::optional<Arrival> next();
  /// The scans wait for what is done here: a vehicle has its scans in memory, and reads no file.
  void outside_time(const std::function<void()>& work);

 private:
  double arrival_s(std::size_t frame) const;

  const std::vector<TimedScan>& scans_;
  std::optional<RealTime> real_time_;
  std::size_t next_ = 0;
  std::optional<double> began_s_;  ///< when the first scan arrived, moved on by what was outside of time
};

}  // namespace ndt::harness
