#include "ndt/localization/recovery.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ndt::localization {
namespace {

/// A vehicle stays on its ground: height and tilt are known far better than the place.
constexpr double kHeightShare = 0.1, kTiltRad = 0.02;

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

}  // namespace

void Recovery::begin_with(const initial_pose::PosePrior& prior) {
  require_valid(prior);
  first_ = prior;
  attempts_ = 0;
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
  ++attempts_;
  Recovered recovered;
  recovered.attempt = attempts_;
  recovered.prior = prior_around(prediction);
  initial_pose::SearchResult found =
      initial_pose::search(aligner, scan, recovered.prior, initial_pose::default_strategy(),
                           search_options(options_, attempts_), per_scan);
  recovered.result = found.best_particle().result;
  recovered.nvtl = recovered.result.nvtl;
  recovered.stop = recovered.result.stop;
  recovered.runner_up_ratio = found.evidence.runner_up_ratio;
  recovered.ambiguous = found.judgement.verdict == initial_pose::Verdict::ambiguous;
  recovered.reliable = found.reliable;
  recovered.interrupted = found.interrupted;
  recovered.moved_m = translation_error_m(to_transform(recovered.prior.mean), recovered.result.map_from_scan);
  recovered.found = found.reliable.value_or(true);
  recovered.particles = std::move(found.particles);
  return recovered;
}

}  // namespace ndt::localization
