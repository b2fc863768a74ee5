// An aligner whose answers are written down, and searches on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "ndt/initial_pose/search.hpp"
#include "scripted_aligner.hpp"

namespace ndt::initial_pose {

inline const PosePrior kPrior{{0, 0, 0, 0, 0, 0}, {3, 3, 0, 0, 0}};
inline const PointCloud kScan;
inline const Strategy& kSequential = strategies()[0];
inline const Strategy& kBatched = strategies()[1];
inline const Strategy& kRounds = strategies()[2];

/// Every pose stays where it is; NVTL and probability fall with the distance to a place and a heading. Counts
/// how it was asked.
class Hill : public ScriptedAligner {
 public:
  std::size_t points = 0;  ///< of the last scan

  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override {
    points = host_cloud(scan, "align").size();
    return answer(guess, per_scan);
  }

  std::function<void(AlignResult&)> change = [](AlignResult&) {};

 private:
  AlignResult answer(const Transform& guess, const PerScan& per_scan) const {
    AlignResult result;
    result.map_from_scan = guess;
    result.stop = interruption(per_scan).value_or(Stop::converged);
    result.nvtl = 3 * std::exp(-std::hypot(guess(0, 3) - 1, guess(1, 3), 2 * derivative_pose(guess).yaw));
    result.transform_probability = 2 * result.nvtl;
    change(result);
    return result;
  }
};

inline SearchOptions options(int particles, int startup, int at_once = 4) {
  SearchOptions o;
  o.reliable_nvtl = 2.3;
  o.particles = particles, o.startup = startup, o.at_once = at_once;
  return o;
}

using Sizes = std::vector<std::size_t>;

inline bool has(const SearchResult& result, Doubt doubt) {
  return std::ranges::find(result.judgement.doubts, doubt) != result.judgement.doubts.end();
}

}  // namespace ndt::initial_pose
