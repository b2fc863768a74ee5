// One scan's report as a JSON object: Autoware's keys of the diagnostics `scan_matching_status`, and beside
// them what only this localizer knows. The key names are part of the command line's contract.
#pragma once

#include <nlohmann/json.hpp>

#include "localize/scan_sequence.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::harness {

nlohmann::ordered_json diagnostics_json(std::size_t frame, const TimedScan& scan,
                                        const localization::ScanReport& report, double execution_ms);

}  // namespace ndt::harness
