// The looks of one search along sight lines.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "ndt/initial_pose/particle.hpp"
#include "ndt/initial_pose/sight_lines.hpp"
#include "search_clock.hpp"

namespace ndt::initial_pose {

/// Looks from where particles ended, once from each.
class Looks {
 public:
  /// lines: null, if nobody is to look. The clock counts the time.
  Looks(const SightLines* lines, const PointCloud& scan, SearchClock& clock)
      : lines_(lines), scan_(scan), clock_(clock) {}

  /// Whether there are lines to look along.
  bool possible() const { return lines_ != nullptr; }
  /// Works out what every look needs of the scan, while a device aligns.
  void prepare() {
    if (!possible() || rays_) return;
    clock_.lap(SearchWork::choose);
    rays_.emplace(scan_);
    clock_.lap(SearchWork::look);
  }
  /// What the scan sees from the end of the k-th particle. Only if possible().
  const Sight& from(std::span<const Particle> particles, std::size_t k) {
    if (const auto known = seen_.find(k); known != seen_.end()) return known->second;
    prepare();
    clock_.lap(SearchWork::choose);
    const Sight& seen =
        seen_.try_emplace(k, lines_->look(*rays_, particles[k].result.map_from_scan)).first->second;
    clock_.lap(SearchWork::look);
    return seen;
  }

 private:
  const SightLines* lines_;
  const PointCloud& scan_;
  SearchClock& clock_;
  std::optional<ScanRays> rays_;
  std::map<std::size_t, Sight> seen_;  ///< by particle
};

}  // namespace ndt::initial_pose
