// The alignments of one search, a batch after the other, and what came of them.
#pragma once

#include <utility>
#include <vector>

#include "around/looks.hpp"
#include "around/search_clock.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/search_result.hpp"

namespace ndt::initial_pose {

class Batches {
 public:
  /// particles: how many are proposed. most: poses of a batch.
  Batches(Aligner& aligner, const PointCloud& scan, const PerScan& per_scan, const SearchObserver& observer,
          const SightLines* sight_lines, int particles, int most)
      : looks(sight_lines, scan, clock), aligner_(aligner), per_scan_(per_scan), observer_(observer) {
    constexpr std::size_t kContinuedAndBeside = 64;
    result.particles.reserve(static_cast<std::size_t>(particles) + kContinuedAndBeside);
    aligner_.hold(scan, static_cast<std::size_t>(most));
    clock.lap(SearchWork::submit);
  }
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  /// Aligns from all places, and appends the results. `meanwhile` is work for this thread while a device
  /// aligns.
  template <class Work>
  void align(const std::vector<Pose>& starts, Role role, bool guides, Work&& meanwhile) {
    guesses_.clear();
    for (const Pose& start : starts) guesses_.push_back(to_transform(start));
    results_.resize(guesses_.size());
    clock.lap(SearchWork::choose);
    aligner_.submit(HeldScan{}, guesses_, per_scan_);
    clock.lap(SearchWork::submit);
    meanwhile();
    aligner_.collect(results_);
    clock.lap(SearchWork::collect);
    for (std::size_t k = 0; k < starts.size(); ++k)
      result.particles.push_back({starts[k], std::move(results_[k]), guides, role});
    if (observer_) observer_(result.particles);
    clock.count_batch(), clock.lap(SearchWork::take);
  }

  /// Whether the search must end. Only the first batch is aligned past the deadline, so that there is a pose
  /// to return.
  bool ended() {
    if (!result.particles.empty()) result.interrupted = interruption(per_scan_);
    return result.interrupted.has_value();
  }

  Aligner& aligner() { return aligner_; }
  const PerScan& per_scan() const { return per_scan_; }

  SearchResult result;  ///< so far
  SearchClock clock;
  Looks looks;  ///< from ends of particles

 private:
  Aligner& aligner_;
  PerScan per_scan_;
  const SearchObserver& observer_;
  std::vector<Transform> guesses_;
  std::vector<AlignResult> results_;
};

}  // namespace ndt::initial_pose
