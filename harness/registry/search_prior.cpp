#include "registry/search_prior.hpp"

namespace ndt::harness {

initial_pose::PlaceRegion region_of(const ResolvedPrior& prior, const initial_pose::PlacePyramid& pyramid) {
  const double heading_rad = initial_pose::heading_reach_rad(prior.pose);
  if (prior.kind == PriorKind::pose) return initial_pose::around(prior.pose);
  if (prior.kind == PriorKind::box) return {prior.low, prior.high, false, heading_rad};
  initial_pose::PlaceRegion region = initial_pose::whole_map(pyramid);
  region.heading_rad = heading_rad;
  return region;
}

}  // namespace ndt::harness
