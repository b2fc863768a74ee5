// The alignments of one search, a batch after the other, and what came of them.
#pragma once

#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/exec/helper_threads.hpp"
#include "ndt/initial_pose/search_result.hpp"
#include "ndt/initial_pose/sight_lines.hpp"

namespace ndt::initial_pose {

/// Counts time from one lap to the next. A search has some 40 laps of 30 ns.
class SearchClock {
 public:
  /// Begins a part: the laps that follow belong to it.
  void begin(SearchPart part) {
    lap(SearchWork::choose);
    part_ = static_cast<std::size_t>(part);
  }
  /// Counts the time since the last lap as the work's.
  void lap(SearchWork work) {
    const Clock::time_point now = Clock::now();
    times_.us[part_][static_cast<std::size_t>(work)] +=
        std::chrono::duration<double, std::micro>(now - last_).count();
    last_ = now;
  }
  void count_batch() { ++times_.batches[part_]; }
  const SearchTimes& times() const { return times_; }

 private:
  using Clock = std::chrono::steady_clock;
  SearchTimes times_;
  std::size_t part_ = 0;
  Clock::time_point last_ = Clock::now();
};

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

  /// The limits from now on.
  void set_limits(const PerScan& per_scan) {
    per_scan_ = per_scan;
    result.interrupted.reset();
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
