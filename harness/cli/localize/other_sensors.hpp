// The data of other sensors for a localisation: from the files that are named, or the dataset's own.
#pragma once

#include <string>
#include <vector>

#include "localize/scan_sequence.hpp"
#include "ndt/align/implementation.hpp"
#include "ndt/io/trajectory.hpp"

namespace ndt::harness {

/// Reads a TUM file, or the dataset's own where none is given. Throws InputError for a file that cannot be
/// used, and for times that are not those of the scans.
std::vector<StampedTransform> odometry_for(const ScanSequence& sequence, const std::string& file);

/// As odometry_for, and nothing for "none". Where the implementation cannot be pulled, throws UsageError for
/// a file, and leaves out a dataset's own, which a notice says.
std::vector<StampedTransform> gnss_for(const ScanSequence& sequence, const std::string& file,
                                       const Implementation& entry);

}  // namespace ndt::harness
