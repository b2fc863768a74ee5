// A search without a guess of the position. It aligns from the best places of a coarse score over the whole
// map or a box of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ndt/initial_pose/search.hpp"

namespace ndt::initial_pose {

class PlacePyramid;

/// Edge of the cells of a coarse score unless another is asked for: half of the last level's voxels [m].
double place_cell_m(const AlignOptions& options);

/// The result of AnywhereSearch::run().
struct AnywhereResult {
  /// Its particles start at coarse.places, in their order. With coverage below 1 it is not called reliable.
  SearchResult search;
  PlacesFound coarse;    ///< the places that were aligned, and how much of the region they stand for
  double coarse_us = 0;  ///< of the search's time
};

/// The coarse score of a map, for any number of scans, one at a time.
class AnywhereSearch {
 public:
  /// on_device: the aligner is; then options.device searches for places, and what is left for threads takes
  /// one per core. If that device cannot hold the grids, threads search; device_error() says why. Else takes
  /// options.threads threads. cell_m: edge of the cells [m]; nothing: place_cell_m(). up:
  /// the map's up direction, of any length. Throws std::invalid_argument for an edge out of range and for an
  /// up without a direction, InputError if the map has no finite point.
  AnywhereSearch(const PointCloud& map, const AlignOptions& options, bool on_device = false,
                 std::optional<double> cell_m = {}, const Vec3<double>& up = {0, 0, 1});
  /// With the grids of a map that are there already, as those that were kept in a file.
  AnywhereSearch(PlacePyramid&& grids, const AlignOptions& options, bool on_device);
  AnywhereSearch(AnywhereSearch&&) noexcept;             ///< moves
  AnywhereSearch& operator=(AnywhereSearch&&) noexcept;  ///< moves
  ~AnywhereSearch();

  /// Aligns the scan from the options.particles best places of the region, all in one batch unless the
  /// strategy aligns one after the other. `aligner` has the same map. Half of the time until per_scan's
  /// deadline is for the places. `sight_lines`: as search() has them. `progress` is called on this thread
  /// with the share of the places that is done. Throws std::invalid_argument for a region or options out of
  /// range, and what align throws.
  AnywhereResult run(Aligner& aligner, const PointCloud& scan, const PlaceRegion& region, const Pose& guess,
                     const Strategy& strategy, const SearchOptions& options, const PerScan& per_scan = {},
                     const SearchObserver& observer = {}, const SightLines* sight_lines = nullptr,
                     const PlaceProgress& progress = {});

  PlaceRegion whole_map() const;            ///< the part of the map with points; heights from the map
  double cell_m() const;                    ///< edge of the cells: the one asked for, or longer [m]
  std::uint64_t bytes() const;              ///< memory of the grids
  bool on_device() const;                   ///< whether a device searches for places
  const std::string& device_error() const;  ///< why none does, although the aligner is on one; else empty
  double build_us() const;                  ///< time in which the grids were made, and copied to the device

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ndt::initial_pose
