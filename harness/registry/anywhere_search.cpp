#include "registry/anywhere_search.hpp"

#include "base/clock.hpp"

namespace ndt::harness {
namespace {

initial_pose::PlacePyramid timed_pyramid(const PointCloud& map, double cell_m, double& build_us) {
  const Stopwatch watch;
  initial_pose::PlacePyramid pyramid(map, cell_m);
  build_us = watch.elapsed_us();
  return pyramid;
}

}  // namespace

AnywhereSearch::AnywhereSearch(const PointCloud& map, const AlignOptions& options,
                               std::optional<double> cell_m)
    : pyramid_(timed_pyramid(map, cell_m.value_or(initial_pose::last_edge_m(options) / 2), build_us_)),
      pool_(options.threads) {}

initial_pose::AnywhereResult AnywhereSearch::run(Aligner& aligner, const PointCloud& scan,
                                                 const ResolvedPrior& prior, const ResolvedSearch& setting,
                                                 const PerScan& per_scan,
                                                 const initial_pose::SearchObserver& observer,
                                                 const initial_pose::PlaceProgress& progress) {
  return initial_pose::search_anywhere(aligner, pyramid_, scan, region_of(prior, pyramid_), prior.pose.mean,
                                       setting.strategy, setting.options, pool_, per_scan, observer,
                                       progress);
}

}  // namespace ndt::harness
