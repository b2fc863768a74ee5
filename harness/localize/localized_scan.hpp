// The facts about one scan when it is done.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "localize/frame_times.hpp"
#include "localize/scan_sequence.hpp"
#include "ndt/localization/following_map.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::harness {

struct LocalizedScan {
  std::size_t frame = 0;
  const TimedScan* scan = nullptr;
  const localization::ScanReport* report = nullptr;
  double execution_ms = 0;
  std::size_t dropped = 0;          ///< scans before it that were not localised
  std::optional<double> delay_s{};  ///< in real time, from its arrival to when it was worked on
  double cpu_ms = 0;  ///< CPU time of the thread, from the filters to the diagnostics, all that the map takes
  const PointCloud* cloud = nullptr;  ///< the scan, filtered
  FrameTimes times{};
  std::optional<std::size_t> map_tiles{};               ///< of a map that follows the vehicle
  std::optional<localization::MapUpdate> map_update{};  ///< before this scan
  bool map_building = false;                            ///< the next map was being built beside this scan
  std::string diagnostics{};                            ///< its line of diagnostics.jsonl
};

/// From its filters to its diagnostics; reading and writing files is in no time.
inline double frame_ms(const LocalizedScan& scan) {
  return scan.times.filter_ms + scan.execution_ms + scan.times.diagnostics_ms;
}

}  // namespace ndt::harness
