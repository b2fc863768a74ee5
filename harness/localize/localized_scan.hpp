// What is known of one scan when it is done.
#pragma once

#include <cstddef>
#include <optional>

#include "localize/scan_sequence.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::harness {

struct LocalizedScan {
  std::size_t frame = 0;
  const TimedScan* scan = nullptr;
  const localization::ScanReport* report = nullptr;
  double execution_ms = 0;
  std::size_t dropped = 0;            ///< scans before it that were not localised
  std::optional<double> delay_s{};    ///< in real time, from its arrival to when it was worked on
  const PointCloud* cloud = nullptr;  ///< the scan, filtered
};

}  // namespace ndt::harness
