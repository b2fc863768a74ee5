#include "ndt/localization/localizer_options.hpp"

#include <cmath>
#include <stdexcept>

#include "ndt/core/formatted.hpp"

namespace ndt::localization {

void take_bounds(LocalizerOptions& options, const initial_pose::ReliableBounds& bounds) {
  if (!options.reliable_nvtl) options.reliable_nvtl = bounds.nvtl;
  if (!options.reliable_matched) options.reliable_matched = bounds.matched;
  if (!options.least_score && options.score == ScoreKind::nvtl) options.least_score = options.reliable_nvtl;
  options.thin_map = bounds.covered < initial_pose::kThinMap;
}

void validate(const LocalizerOptions& options) {
  require_within(kLocalizerOptions, options);
  if (options.spread_reject_m && *options.spread_reject_m < options.spread_bound_m)
    throw std::invalid_argument(formatted("option spread-reject = {}: must not be below spread-bound, {}",
                                          *options.spread_reject_m, options.spread_bound_m));
  if (options.offsets.empty()) throw std::invalid_argument("localizer: offsets: give one or more places");
  for (const Offset& offset : options.offsets)
    if (!std::isfinite(offset.x) || !std::isfinite(offset.y))
      throw std::invalid_argument("localizer: offsets: one is not finite; give metres");
}

}  // namespace ndt::localization
