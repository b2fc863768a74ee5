// The maker of the peer. Null in a build without PCL.
#pragma once

#include <memory>

#include "ndt/align/aligner.hpp"

namespace ndt::pcl_ndt {

#ifdef NDT_WITH_PCL
/// Throws std::invalid_argument for options that PCL does not have, or out of range.
std::unique_ptr<Aligner> make_aligner(const AlignOptions& options);
#else
inline constexpr std::unique_ptr<Aligner> (*make_aligner)(const AlignOptions&) = nullptr;
#endif

}  // namespace ndt::pcl_ndt
