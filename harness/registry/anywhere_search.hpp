// Searches with method anywhere, for commands and runs alike.
#pragma once

#include <memory>
#include <optional>

#include "ndt/exec/host_team.hpp"
#include "ndt/initial_pose/anywhere.hpp"
#include "ndt/initial_pose/device_places.hpp"
#include "registry/search_arguments.hpp"
#include "registry/search_prior.hpp"

namespace ndt::harness {

/// The data of a map that method anywhere needs beside an aligner: its pyramid, and a device or threads that
/// search it. Made once for a map and any number of scans.
class AnywhereSearch {
 public:
  /// on_device: the aligner is; then options.device searches, and what is left for threads takes one per
  /// core. If that device cannot hold the grids, these threads search, and a notice says so. Else takes
  /// options.threads threads. Edge of the cells: `cell_m`, or half of the last level's voxels. `up`: as
  /// PlacePyramid takes it.
  AnywhereSearch(const PointCloud& map, const AlignOptions& options, bool on_device,
                 std::optional<double> cell_m = {}, const Vec3<double>& up = {0, 0, 1});

  /// `aligner` has the same map.
  initial_pose::AnywhereResult run(Aligner& aligner, const PointCloud& scan, const ResolvedPrior& prior,
                                   const ResolvedSearch& setting, const PerScan& per_scan,
                                   const initial_pose::SearchObserver& observer = {},
                                   const initial_pose::SightLines* sight_lines = nullptr,
                                   const initial_pose::PlaceProgress& progress = {});

  const initial_pose::PlacePyramid& pyramid() const { return pyramid_; }
  bool on_device() const { return device_ != nullptr; }
  /// Time in which the pyramid was built, and copied to the device.
  double build_us() const { return build_us_; }

 private:
  double build_us_ = 0;  // before the pyramid, whose making sets it
  initial_pose::PlacePyramid pyramid_;
  std::unique_ptr<initial_pose::DevicePlaces> device_;  ///< null: threads search
  HostPool pool_;
};

}  // namespace ndt::harness
