#include "cli/search/anywhere_with_progress.hpp"

#include <utility>

#include "cli/common/late_progress.hpp"

namespace ndt::harness {
namespace {

bool tells_no_tilt(const Pose& mean) { return mean.roll == 0 && mean.pitch == 0; }

/// The prior of a scanner that is mounted upside down and looks the same way.
ResolvedPrior hanging(ResolvedPrior prior) {
  prior.pose.mean.roll = kPi;
  prior.pose.mean.yaw = -prior.pose.mean.yaw;
  return prior;
}

}  // namespace

AnywhereWithProgress::AnywhereWithProgress(const PointCloud& map, const AlignOptions& options, bool on_device,
                                           const ResolvedPrior& prior)
    : AnywhereWithProgress(kept_pyramid(map, place_cell_m(prior, options), prior.up), map, options, on_device,
                           prior) {}

AnywhereWithProgress::AnywhereWithProgress(KeptPyramid&& kept, const PointCloud& map,
                                           const AlignOptions& options, bool on_device,
                                           const ResolvedPrior& prior)
    : prior_(prior), search_(anywhere_in(std::move(kept.pyramid), options, on_device)), sight_lines_(map) {
  answer_.pyramid_us = kept.us + search_.build_us();
  answer_.pyramid_kept = kept.was_kept;
  answer_.on_device = search_.on_device();
  answer_.kind = prior.kind;
  answer_.region = region_of(prior, search_);
  answer_.cell_m = search_.cell_m();
  answer_.pyramid_bytes = search_.bytes();
}

initial_pose::SearchResult AnywhereWithProgress::run(Aligner& aligner, const PointCloud& scan,
                                                     const ResolvedSearch& setting, const PerScan& limits) {
  initial_pose::AnywhereResult found = searched(prior_, aligner, scan, setting, limits);
  const bool missed = !found.search.interrupted && !found.search.reliable.value_or(true);
  answer_.mounting = Mounting::level;
  if (missed && prior_.kind != PriorKind::pose && tells_no_tilt(prior_.pose.mean)) {
    initial_pose::AnywhereResult other = searched(hanging(prior_), aligner, scan, setting, limits);
    const bool hangs = other.search.reliable.value_or(false);
    answer_.mounting = hangs ? Mounting::upside_down : Mounting::neither;
    if (hangs) found = std::move(other);
  }
  answer_.coarse = std::move(found.coarse);
  answer_.coarse_us = found.coarse_us;
  return std::move(found.search);
}

initial_pose::AnywhereResult AnywhereWithProgress::searched(const ResolvedPrior& prior, Aligner& aligner,
                                                            const PointCloud& scan,
                                                            const ResolvedSearch& setting,
                                                            const PerScan& limits) {
  LateProgress progress;
  return search_.run(aligner, scan, region_of(prior, search_), prior.pose.mean, setting.strategy,
                     setting.options, limits, {}, &sight_lines_, [&](double coverage) {
                       progress.show(static_cast<std::size_t>(100 * coverage), 100, "places");
                     });
}

}  // namespace ndt::harness
