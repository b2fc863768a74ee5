// Stands for a profiler: what NVTX tells a tool of this program.
#pragma once

#include <string>
#include <vector>

namespace ndt::test {

/// The ranges in their order, "domain: name" where one was opened and "domain" where one was closed.
std::vector<std::string>& recorded_ranges();

}  // namespace ndt::test
