// The text that localize prints at its end.
#pragma once

#include <string>

#include "localize/localize_run.hpp"

namespace ndt::harness {

/// "used for 6 of 9 scans (before_first 1, too_old 2)": of the scans for which it was asked for.
std::string to_text(const SensorUse& sensor);

/// Counts, times and, where there is a truth, errors; a sensor that was given has its line.
std::string to_text(const LocalizeSummary& summary, const ScanSequence& sequence);

}  // namespace ndt::harness
