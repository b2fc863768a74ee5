#include "registry/search_prior.hpp"

#include <utility>

#include "base/standard_streams.hpp"
#include "ndt/initial_pose/place_pyramid.hpp"

namespace ndt::harness {

initial_pose::PlaceRegion region_of(const ResolvedPrior& prior, const AnywhereSearch& map) {
  const double heading_rad = initial_pose::heading_reach_rad(prior.pose);
  if (prior.kind == PriorKind::pose) return initial_pose::around(prior.pose);
  if (prior.kind == PriorKind::box) return {prior.low, prior.high, false, heading_rad};
  initial_pose::PlaceRegion region = map.whole_map();
  region.heading_rad = heading_rad;
  return region;
}

namespace {

AnywhereSearch told(AnywhereSearch search) {
  if (!search.device_error().empty())
    notice("places are searched on CPU threads: {}\n", search.device_error());
  return search;
}

}  // namespace

double place_cell_m(const ResolvedPrior& prior, const AlignOptions& options) {
  return prior.place_cell_m.value_or(initial_pose::place_cell_m(options));
}

AnywhereSearch anywhere_in(const PointCloud& map, const AlignOptions& options, bool on_device,
                           const ResolvedPrior& prior) {
  return told(AnywhereSearch(map, options, on_device, place_cell_m(prior, options), prior.up));
}

AnywhereSearch anywhere_in(initial_pose::PlacePyramid&& grids, const AlignOptions& options, bool on_device) {
  return told(AnywhereSearch(std::move(grids), options, on_device));
}

}  // namespace ndt::harness
