// The diagnosis of a scan, for people.
#pragma once

#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

/// Raises the diagnosis for everything in the report that a person should see.
void diagnose(ScanReport& report, const LocalizerOptions& options);

}  // namespace ndt::localization
