// The facts that only a long localisation shows: scans that are late because of the map, memory that grows,
// laps that differ from the first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/nvml.hpp"
#include "localize/localized_scan.hpp"

namespace ndt::harness {

/// Host memory in use, from /proc/self/statm; 0 where there is none.
std::uint64_t resident_bytes();

class LongRun {
 public:
  /// scans: of all laps.
  LongRun(std::size_t scans, std::size_t laps);

  /// Every scan that was worked on, in order. device: of the map that follows and its aligner.
  void add(const LocalizedScan& scan, const std::optional<localization::DeviceBytes>& device);

  /// The work that a map that follows had during a scan.
  enum class MapWork { exchange, building, none };  ///< another came into force, was built beside it, neither

  /// Scans that took more than twice the median.
  struct LateScans {
    std::size_t scans = 0;  ///< all of this MapWork
    std::size_t late = 0;
    /// Late, and more than twice the median of the scans around, up to five before and five after that have
    /// no work with the map. They see nearly the same on a host as busy, so neither is the cause.
    std::size_t alone = 0;
  };
  struct Late {
    double median_ms = 0;
    std::array<LateScans, 3> by_work;  ///< by MapWork

    const LateScans& of(MapWork work) const { return by_work[static_cast<std::size_t>(work)]; }
    std::size_t scans() const { return by_work[0].late + by_work[1].late + by_work[2].late; }
    /// As many would be late alone if the map had nothing to do with it: the share of scans without work.
    double expected(MapWork work) const;
  };
  /// The late scans by their time, with the exchange of the map and what was waited for it.
  Late late() const { return late_of(scan_ms_); }
  /// The late scans by LocalizedScan::cpu_ms: late because of what this thread did, not because other threads
  /// had its core.
  Late late_by_cpu() const { return late_of(cpu_ms_); }

  /// Lines for a person.
  std::string text() const;

 private:
  struct MemoryAt {
    std::uint64_t host_bytes = 0;
    std::optional<GpuMemory> gpu;
    std::optional<localization::DeviceBytes> device;
  };
  Late late_of(const std::vector<double>& ms) const;
  double around(const std::vector<double>& ms, std::size_t k) const;
  std::string late_text() const;
  std::string memory_text() const;

  std::size_t scans_, laps_;
  std::vector<double> scan_ms_, cpu_ms_;
  std::vector<MapWork> work_;
  std::vector<std::optional<Transform>> first_lap_;
  /// The scans of later laps, and those of them that have the first lap's pose, bit for bit.
  std::size_t repeated_ = 0, as_before_ = 0;
  std::array<std::optional<MemoryAt>, 3> memory_;  ///< after the first scan, the middle one and the last
};

}  // namespace ndt::harness
