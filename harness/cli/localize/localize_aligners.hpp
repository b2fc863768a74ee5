// The aligners of a localisation and their map: the whole of it, or what is near the vehicle.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "cli/common/map_flags.hpp"
#include "localize/scan_sequence.hpp"
#include "ndt/align/implementation.hpp"
#include "ndt/initial_pose/verdict.hpp"
#include "ndt/localization/following_map.hpp"
#include "registry/given_options.hpp"

namespace ndt::harness {

/// As they were typed.
struct LocalizeMapArguments {
  MapArguments map;
  Given<localization::kMapFollowingOptions> following;  ///< but for the radius, which is one of `map`
  localization::MapFollowing usual;                     ///< where nothing is given
};

void add_localize_map_flags(CLI::App& command, LocalizeMapArguments& a);
/// Throws std::invalid_argument for what is out of range, UsageError for what would not be used.
void check(const LocalizeMapArguments& a);

struct LocalizeAlignersSetting {
  const Implementation* implementation = nullptr;
  AlignOptions tracking;
  /// In a thin map the tracking's resolution may grow to twice its size, and its voxels have fewer points.
  bool resolution_by_density = false, points_by_density = false;
  /// The options of searches beside those of the tracking; asked for when a search begins.
  std::function<AlignOptions(const AlignOptions& tracking)> searching;
  ScanPreparation map_filters;
  bool real_time = false;
};

class LocalizeAligners {
 public:
  /// Reads the map. A map in tiles with metadata follows the vehicle from the place `first` on, if there is
  /// one. Throws InputError as MapFiles does, and for a map that is too thin. Throws UsageError for options
  /// that the map has no use for.
  LocalizeAligners(const LocalizeMapArguments& a, const ScanSequence& sequence,
                   const std::optional<MapArea>& first, LocalizeAlignersSetting setting);

  Aligner& tracker() { return following_ ? following_->aligner() : *tracker_; }
  /// A wide one for searches, which gets the map in force before each.
  Aligner& searcher();
  /// Returns the bounds in the map that the tracker began with.
  const initial_pose::ReliableBounds& bounds() const { return bounds_; }
  const AlignOptions& tracking() const { return setting_.tracking; }
  /// One more with the map in force.
  std::unique_ptr<Aligner> another(const AlignOptions& options) const;
  /// Sight lines of the map; null for a map that follows.
  std::shared_ptr<const initial_pose::SightLines> sight_lines() const;
  /// Null if the map is whole.
  localization::FollowingMap* following() { return following_ ? &*following_ : nullptr; }
  std::optional<localization::MapFollowing> map_following() const {
    return following_ ? std::optional(following_->options()) : std::nullopt;
  }
  std::size_t map_version() const { return following_ ? following_->version() : 0; }
  /// f(the cloud in force)
  template <class F>
  void with_map(F&& f) const {
    following_ ? f(following_->cloud()) : f(whole_);
  }

 private:
  void follow(const LocalizeMapArguments& a, MapFiles files, const MapArea& first);
  void judge_density();
  void choose_voxels(const std::function<void()>& make);

  LocalizeAlignersSetting setting_;
  PointCloud whole_;
  std::unique_ptr<Aligner> tracker_, searcher_;  ///< the tracker: of a whole map
  initial_pose::ReliableBounds bounds_;
  std::size_t searchers_version_ = 0;
  std::optional<localization::FollowingMap> following_;
};

}  // namespace ndt::harness
