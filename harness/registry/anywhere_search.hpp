// Searches with method anywhere, for commands and runs alike.
#pragma once

#include <optional>

#include "ndt/exec/host_team.hpp"
#include "ndt/initial_pose/anywhere.hpp"
#include "registry/search_arguments.hpp"
#include "registry/search_prior.hpp"

namespace ndt::harness {

/// What method anywhere needs of a map beside an aligner: its pyramid, and threads that search it. Made once
/// for a map and any number of scans.
class AnywhereSearch {
 public:
  /// Takes options.threads threads. Edge of the cells: `cell_m`, or half of the last level's voxels.
  AnywhereSearch(const PointCloud& map, const AlignOptions& options, std::optional<double> cell_m = {});

  /// `aligner` has the same map.
  initial_pose::AnywhereResult run(Aligner& aligner, const PointCloud& scan, const ResolvedPrior& prior,
                                   const ResolvedSearch& setting, const PerScan& per_scan,
                                   const initial_pose::SearchObserver& observer = {},
                                   const initial_pose::PlaceProgress& progress = {});

  const initial_pose::PlacePyramid& pyramid() const { return pyramid_; }
  /// Time in which the pyramid was built.
  double build_us() const { return build_us_; }

 private:
  double build_us_ = 0;  // before the pyramid, whose making sets it
  initial_pose::PlacePyramid pyramid_;
  HostPool pool_;
};

}  // namespace ndt::harness
