// A search without a guess of the position: the best places of a coarse score over the whole map or a box of
// it are aligned.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ndt/align/align_result.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/initial_pose/search.hpp"

namespace ndt::initial_pose {

/// The places where the sensor may be: a box of positions and an arc of headings.
struct PlaceRegion {
  Vec3<double> low, high;  ///< [m], frame of the level map; high is not below low
  /// Heights are those from which the map has something to stand on below the sensor, as far as the scan
  /// shows its ground; else all of the box.
  bool height_from_map = false;
  double heading_rad = kPi;  ///< farthest from the guess's heading, either way; pi: any
};

/// Three sigma of the heading, at most pi; pi for any heading.
double heading_reach_rad(const PosePrior& prior);
/// Within three sigma of the mean's x, y and z, and of its heading.
PlaceRegion around(const PosePrior& prior);

/// Places at every cell's edge and, for headings, at the angle that moves a point at the sketch's reach by
/// one cell. The region's box is clipped to where a point of the sketch can meet the map.
struct Place {
  Pose pose;         ///< of the sensor
  double score = 0;  ///< in [0, 1]
};

/// The answer of find_places().
struct PlacesFound {
  /// Best first, the first of the lattice on ties; never empty. Each is the best of its neighbourhood, 4 x 4
  /// x 4 positions and about 15 degrees. With `coverage` 1 the first is the best of all, and no other
  /// neighbourhood has a better one than the last.
  std::vector<Place> places;
  double coverage = 0;                   ///< share of the lattice that was scored or excluded by a bound
  double lattice = 0;                    ///< poses of the lattice
  int headings = 0;                      ///< of the lattice, at each position
  std::optional<double> ground_below_m;  ///< as the sketch has it
  std::optional<Stop> interrupted;       ///< why coverage is below 1
};

/// Called now and then, on the calling thread, with the share that is done. What it throws ends the search.
using PlaceProgress = std::function<void(double coverage)>;

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
  /// options.threads threads. cell_m: edge of the cells [m]; nothing: half of the last level's voxels. up:
  /// the map's up direction, of any length. Throws std::invalid_argument for an edge out of range and for an
  /// up without a direction, InputError if the map has no finite point.
  AnywhereSearch(const PointCloud& map, const AlignOptions& options, bool on_device = false,
                 std::optional<double> cell_m = {}, const Vec3<double>& up = {0, 0, 1});
  AnywhereSearch(AnywhereSearch&&) noexcept;
  AnywhereSearch& operator=(AnywhereSearch&&) noexcept;
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
