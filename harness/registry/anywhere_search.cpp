#include "registry/anywhere_search.hpp"

#include <stdexcept>

#include "base/clock.hpp"
#include "base/standard_streams.hpp"

namespace ndt::harness {
namespace {

initial_pose::PlacePyramid timed_pyramid(const PointCloud& map, double cell_m, const Vec3<double>& up,
                                         double& build_us) {
  const Stopwatch watch;
  initial_pose::PlacePyramid pyramid(map, cell_m, up);
  build_us = watch.elapsed_us();
  return pyramid;
}

std::unique_ptr<initial_pose::DevicePlaces> timed_copy(const initial_pose::PlacePyramid& pyramid, int device,
                                                       double& build_us) {
  const Stopwatch watch;
  std::unique_ptr<initial_pose::DevicePlaces> copy;
  try {
    copy = std::make_unique<initial_pose::DevicePlaces>(pyramid, device);
  } catch (const std::runtime_error& error) {
    notice("places are searched on CPU threads: {}\n", error.what());
  }
  build_us += watch.elapsed_us();
  return copy;
}

}  // namespace

AnywhereSearch::AnywhereSearch(const PointCloud& map, const AlignOptions& options, bool on_device,
                               std::optional<double> cell_m, const Vec3<double>& up)
    : pyramid_(timed_pyramid(map, cell_m.value_or(initial_pose::last_edge_m(options) / 2), up, build_us_)),
      device_(on_device ? timed_copy(pyramid_, options.device, build_us_) : nullptr),
      pool_(on_device ? 0 : options.threads) {}

initial_pose::AnywhereResult AnywhereSearch::run(Aligner& aligner, const PointCloud& scan,
                                                 const ResolvedPrior& prior, const ResolvedSearch& setting,
                                                 const PerScan& per_scan,
                                                 const initial_pose::SearchObserver& observer,
                                                 const initial_pose::SightLines* sight_lines,
                                                 const initial_pose::PlaceProgress& progress) {
  return initial_pose::search_anywhere(aligner, pyramid_, scan, region_of(prior, pyramid_), prior.pose.mean,
                                       setting.strategy, setting.options, pool_, per_scan, observer, progress,
                                       device_.get(), sight_lines);
}

}  // namespace ndt::harness
