#include "ndt/localization/recovery.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

namespace ndt::localization {
namespace {

/// A vehicle stays on its ground: height and tilt are known far better than the place.
constexpr double kHeightShare = 0.1, kTiltRad = 0.02;

using Clock = std::chrono::steady_clock;

initial_pose::SearchOptions search_options(const LocalizerOptions& options, int attempt) {
  initial_pose::SearchOptions search;
  search.particles = options.recovery_particles;
  search.startup = std::min(search.startup, search.particles);
  search.seed = static_cast<std::uint64_t>(attempt);
  search.reliable_nvtl = options.reliable_nvtl;
  search.reliable_matched = options.reliable_matched;
  search.keep_no_returns = true;  // the localizer has left them out
  return search;
}

/// The time for the search of one scan.
class Budget {
 public:
  explicit Budget(const std::optional<double>& ms) {
    if (ms) end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Milliseconds(*ms));
  }
  std::optional<Clock::duration> left() const {
    return end_ ? std::optional(std::max(*end_ - Clock::now(), Clock::duration::zero())) : std::nullopt;
  }
  /// With no time given the first share is the last.
  bool allows_more() const { return end_ && Clock::now() < *end_; }

 private:
  using Milliseconds = std::chrono::duration<double, std::milli>;
  std::optional<Clock::time_point> end_;
};

/// Adds what a share found. A reliable pose ends the search at once: the vehicle would move on. It is
/// doubtful if the start-up was cut short. A pose that lacks a threshold alone waits for all particles.
void take(initial_pose::SearchResult share, const initial_pose::AnytimeSearch& search, Recovered& recovered) {
  recovered.done = search.done();
  recovered.result = share.best_particle().result;
  recovered.nvtl = recovered.result.nvtl;
  recovered.stop = recovered.result.stop;
  recovered.runner_up_ratio = share.evidence.runner_up_ratio;
  recovered.ambiguous = share.judgement.verdict == initial_pose::Verdict::ambiguous;
  recovered.reliable = share.reliable;
  recovered.interrupted = share.interrupted;
  recovered.moved_m = translation_error_m(to_transform(recovered.prior.mean), recovered.result.map_from_scan);
  recovered.found = share.reliable.value_or(search.finished());
  if (recovered.found && !search.started()) recovered.reliable.reset();
  std::ranges::move(share.particles, std::back_inserter(recovered.particles));
}

}  // namespace

void Recovery::begin_with(const initial_pose::PosePrior& prior) {
  require_valid(prior);
  first_ = prior;
  attempts_ = 0;
  running_.reset();
}

initial_pose::PosePrior Recovery::prior_around(const Transform& prediction) const {
  const double growth = std::pow(options_.recovery_growth, attempts_ - 1);
  const auto grown = [&](double sigma_m) {
    return std::max(sigma_m, std::min(sigma_m * growth, options_.recovery_most_m));
  };
  initial_pose::PosePrior prior;
  if (first_) {
    prior = *first_;
    for (int i = 0; i < 3; ++i) prior.sigma[i] = grown(prior.sigma[i]);
  } else {
    prior.sigma[0] = prior.sigma[1] = grown(options_.recovery_sigma_m);
    prior.sigma[2] = kHeightShare * prior.sigma[0];
    prior.sigma[3] = prior.sigma[4] = kTiltRad;
  }
  prior.mean = principal(derivative_pose(prediction));
  return prior;
}

Recovered Recovery::search(Aligner& aligner, const PointCloud& scan, const Transform& prediction,
                           const PerScan& per_scan) {
  Transform moved = running_ ? inverse(last_prediction_) * prediction : Transform();
  last_prediction_ = prediction;
  Recovered recovered;
  recovered.planned = options_.recovery_particles;
  const Budget budget(options_.recovery_ms);
  int shares = 0;
  do {
    if (!running_) running_.emplace(search_options(options_, ++attempts_));
    recovered.attempt = attempts_;
    recovered.prior = prior_around(prediction);
    take(running_->go_on(aligner, scan, recovered.prior, moved, {options_.recovery_share, budget.left()},
                         per_scan),
         *running_, recovered);
    recovered.unfinished = is_worth_going_on(recovered);
    if (!recovered.unfinished) running_.reset();
    moved = Transform();
  } while (!recovered.found && !recovered.interrupted &&
           (options_.recovery_ms ? budget.allows_more() : ++shares < options_.recovery_shares));
  return recovered;
}

/// The next search will be wider.
bool Recovery::can_grow() const {
  const double sigma_m = first_ ? std::max(first_->sigma[0], first_->sigma[1]) : options_.recovery_sigma_m;
  return options_.recovery_growth > 1 &&
         sigma_m * std::pow(options_.recovery_growth, attempts_ - 1) < options_.recovery_most_m;
}

/// Guided particles look closer where the start-up found something. If nothing fits there, the pose is
/// likelier outside, and a wider search finds it sooner.
bool Recovery::is_worth_going_on(const Recovered& recovered) const {
  if (running_->finished() || recovered.interrupted) return false;
  return !running_->started() || recovered.ambiguous || !can_grow();
}

}  // namespace ndt::localization
