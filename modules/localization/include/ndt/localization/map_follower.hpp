// A map that follows the vehicle: one aligner is in use while another gets the next map on a thread of its
// own, and the two change places between two scans.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <string>

#include "ndt/align/aligner.hpp"
#include "ndt/localization/map_update_policy.hpp"

namespace ndt::localization {

/// What became of an update.
struct MapOutcome {
  MapCircle around;                    ///< the circle that was asked for
  bool swapped = false;                ///< the aligners changed places
  std::optional<std::string> failure;  ///< why the map before is still in force
};

/// For one thread at a time; the spare aligner belongs to the builder until take(). An update takes no lock
/// that an alignment waits for, and an alignment sees one map or the other.
class MapFollower {
 public:
  /// Gives the spare aligner the map of a circle; false if the map in force is that of this circle, too, and
  /// stays. Runs on the follower's thread, and tells a failure by throwing a std::exception.
  using Build = std::function<bool(Aligner& spare, const MapCircle& around)>;

  /// `live` has the map that the policy has in force; both aligners outlive the follower and have the same
  /// options. The destructor waits for an update that was begun.
  MapFollower(Aligner& live, Aligner& spare, const MapUpdatePolicy& policy, Build build);

  MapFollower(const MapFollower&) = delete;
  MapFollower& operator=(const MapFollower&) = delete;

  /// The aligner to use now.
  Aligner& live() const { return *live_; }
  /// When updates are due.
  const MapUpdatePolicy& policy() const { return policy_; }

  /// An update was begun and not taken.
  bool building() const { return builder_.valid(); }
  /// take() would not wait.
  bool ready() const;
  /// Builds the map around a place beside the caller. Throws std::logic_error while one is being built.
  void begin(const MapPlace& vehicle);
  /// Until it is ready. Where the system had no thread to spare, the caller builds the map here.
  void wait() const;
  /// Waits, and puts the new map in force by exchanging two pointers; after a failure the map before stays.
  /// Throws std::logic_error if none is being built.
  MapOutcome take();

 private:
  Aligner *live_, *spare_;
  MapUpdatePolicy policy_;
  Build build_;
  std::future<MapOutcome> builder_;  // last: it is waited for before anything that it uses goes
};

}  // namespace ndt::localization
