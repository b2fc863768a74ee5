// pcl::NormalDistributionsTransform behind our interface: a peer with its own algorithm, measured beside ours but never held to
// the oracle's numbers.
#pragma once

#include <memory>

#include "ndt/align/aligner.hpp"

namespace ndt::pcl_ndt {

/// Throws std::invalid_argument for options out of range and for those PCL does not have (README.md has the mapping), and
/// std::logic_error in a build without PCL.
std::unique_ptr<Aligner> make_aligner(const AlignOptions& options);

}  // namespace ndt::pcl_ndt
