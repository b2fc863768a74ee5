#include "registry/search_prior.hpp"

#include "base/standard_streams.hpp"

namespace ndt::harness {

initial_pose::PlaceRegion region_of(const ResolvedPrior& prior, const AnywhereSearch& map) {
  const double heading_rad = initial_pose::heading_reach_rad(prior.pose);
  if (prior.kind == PriorKind::pose) return initial_pose::around(prior.pose);
  if (prior.kind == PriorKind::box) return {prior.low, prior.high, false, heading_rad};
  initial_pose::PlaceRegion region = map.whole_map();
  region.heading_rad = heading_rad;
  return region;
}

AnywhereSearch anywhere_in(const PointCloud& map, const AlignOptions& options, bool on_device,
                           const ResolvedPrior& prior) {
  AnywhereSearch search(map, options, on_device, prior.place_cell_m, prior.up);
  if (!search.device_error().empty())
    notice("places are searched on CPU threads: {}\n", search.device_error());
  return search;
}

}  // namespace ndt::harness
