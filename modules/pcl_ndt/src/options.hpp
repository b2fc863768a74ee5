// The options of ours that PCL supports.
#pragma once

#include "ndt/align/aligner.hpp"

namespace ndt::pcl_ndt {

/// Throws std::invalid_argument "option <name> = <value>: pcl_ndt ..." for the first option that is neither
/// at its default, which leaves the choice to PCL, nor at the value that PCL implements.
void require_offered(const AlignOptions& options);

/// Refuses alike the inputs that come with a scan.
void require_offered(const PerScan& per_scan);

}  // namespace ndt::pcl_ndt
