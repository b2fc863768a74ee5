// Registrations drawn from a seed: any map, scan, options and guess, plausible or not.
#pragma once

#include <cstdint>
#include <string>

#include "ndt/align/aligner.hpp"

namespace ndt::soak {

struct RandomCase {
  std::uint64_t seed = 0;
  PointCloud map, scan;
  Transform guess;
  AlignOptions options;  ///< valid, but not every implementation offers them
  PerScan per_scan;
  std::string said;  ///< what was drawn, for people
};

/// A seed always gives one case, with one standard library.
RandomCase random_case(std::uint64_t seed);

}  // namespace ndt::soak
