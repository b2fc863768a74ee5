// A peer: pcl::NormalDistributionsTransform under the suite's interface.
#pragma once

#include <span>

#include "ndt/align/implementation.hpp"

namespace ndt::pcl_ndt {

/// pcl_ndt, in report order.
std::span<const Implementation> implementations();

}  // namespace ndt::pcl_ndt
