// What of our options PCL can do.
#pragma once

#include "ndt/align/aligner.hpp"

namespace ndt::pcl_ndt {

/// Throws std::invalid_argument "option <name> = <value>: pcl_ndt ..." for the first option that is neither at its default,
/// where PCL does as PCL does, nor at the value PCL implements.
void require_offered(const AlignOptions& options);

/// The same for what comes with a scan.
void require_offered(const PerScan& per_scan);

}  // namespace ndt::pcl_ndt
