// One scan's report as a JSON object: Autoware's keys of the diagnostics `scan_matching_status`, and beside
// them what only this localizer knows. The key names are part of the command line's contract.
#pragma once

#include <string>

#include "localize/localized_scan.hpp"

namespace ndt::harness {

std::string diagnostics_json(const LocalizedScan& scan);

}  // namespace ndt::harness
