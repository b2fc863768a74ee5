// The columns of frames.csv. Their names are part of the command line's contract.
#pragma once

#include <string>

#include "localize/localized_scan.hpp"

namespace ndt::harness {

/// The heading and one row, without the lines' ends.
std::string frames_heading();
std::string frames_row(const LocalizedScan& scan);

}  // namespace ndt::harness
