// The looks of one search along sight lines.
#pragma once

#include <future>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "around/search_clock.hpp"
#include "ndt/exec/helper_threads.hpp"
#include "ndt/initial_pose/search_result.hpp"
#include "ndt/initial_pose/sight_lines.hpp"

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
  /// Begins to look from the end of the k-th particle on a thread of its own, because a look takes longer
  /// than a batch. Not from where an alignment did not come to rest, nor where it was begun before, there is
  /// no thread to spare, or nothing to look at.
  void begin(std::span<const Particle> particles, std::size_t k) {
    const Stop stop = particles[k].result.stop;
    if (!possible() || looks_.contains(k) || (stop != Stop::converged && stop != Stop::degenerate)) return;
    prepare();
    Look& look = looks_[k];
    look.thread = start_helpers(
        1, [&look, this, at = particles[k].result.map_from_scan] { look.seen = lines_->look(*rays_, at); });
    if (look.thread.empty()) looks_.erase(k);
    clock_.lap(SearchWork::look);
  }
  /// Returns what the scan sees from the end of the k-th particle. Requires possible().
  const Sight& from(std::span<const Particle> particles, std::size_t k) {
    prepare();
    clock_.lap(SearchWork::choose);
    const auto [at, is_new] = looks_.try_emplace(k);
    Look& look = at->second;
    if (is_new) look.seen = lines_->look(*rays_, particles[k].result.map_from_scan);
    for (std::future<void>& thread : look.thread) thread.get();
    look.thread.clear();
    clock_.lap(SearchWork::look);
    return look.seen;
  }

 private:
  struct Look {
    Sight seen;
    std::vector<std::future<void>> thread;  ///< that still looks, if one does
  };

  const SightLines* lines_;
  const PointCloud& scan_;
  SearchClock& clock_;
  std::optional<ScanRays> rays_;
  std::map<std::size_t, Look> looks_;  ///< by particle; after what their threads read
};

}  // namespace ndt::initial_pose
