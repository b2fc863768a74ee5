// What only a long localisation shows: scans that are late because of the map, memory that grows, laps that
// are not the first again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_use.hpp"
#include "localize/localized_scan.hpp"

namespace ndt::harness {

class LongRun {
 public:
  /// scans: of all laps.
  LongRun(std::size_t scans, std::size_t laps);

  /// Every scan that was worked on, in order. device: of the map that follows and its aligner.
  void add(const LocalizedScan& scan, const std::optional<DeviceBytes>& device);

  /// Scans that took more than twice the median, with the exchange of the map and what was waited for it; and
  /// those of them before which another map came into force.
  struct Late {
    double median_ms = 0;
    std::size_t scans = 0, exchanges = 0;
  };
  Late late() const { return late_of(scan_ms_); }
  /// The same by LocalizedScan::cpu_ms: scans that are late because of what this thread did, not because
  /// others had its core.
  Late late_by_cpu() const { return late_of(cpu_ms_); }
  /// Of later laps: scans, and those that have the first lap's pose, bit for bit.
  std::size_t repeated() const { return repeated_; }
  std::size_t as_before() const { return as_before_; }

  /// Lines for a person.
  std::string text() const;

 private:
  struct MemoryAt {
    std::uint64_t host_bytes = 0;
    std::optional<GpuMemory> gpu;
    std::optional<DeviceBytes> device;
  };
  Late late_of(const std::vector<double>& ms) const;
  std::string memory_text() const;

  std::size_t scans_, laps_;
  std::vector<double> scan_ms_, cpu_ms_;
  std::vector<bool> exchanged_;
  std::vector<std::optional<Transform>> first_lap_;
  std::size_t repeated_ = 0, as_before_ = 0;
  std::array<std::optional<MemoryAt>, 3> memory_;  ///< after the first scan, the middle one and the last
};

}  // namespace ndt::harness
