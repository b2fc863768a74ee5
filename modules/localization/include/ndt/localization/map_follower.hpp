// A map that follows the vehicle. The next map is built on a thread of its own while the aligner aligns with
// the one in force. It is put in force between two scans.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "ndt/align/aligner.hpp"
#include "ndt/localization/map_update_policy.hpp"

namespace ndt::localization {

/// The outcome of an update.
struct MapOutcome {
  MapCircle around;                    ///< the circle that was asked for
  bool swapped = false;                ///< another map came into force
  std::optional<std::string> failure;  ///< why the map before is still in force
};

/// For one thread at a time. An update takes no lock that an alignment waits for, and an alignment sees one
/// map or the other. The map that was in force before is held until the next update begins, whose thread
/// gives its memory back.
class MapFollower {
 public:
  /// Makes the map of a circle; null if the map in force is that of this circle, too, and stays. Runs on the
  /// follower's thread, and tells a failure by throwing a std::exception.
  using Build = std::function<std::shared_ptr<const ReadyMap>(const MapCircle& around)>;

  /// `aligner` has the map that the policy has in force, takes those of `build` by exchange_map(), and
  /// outlives the follower. The destructor waits for an update that was begun.
  MapFollower(Aligner& aligner, const MapUpdatePolicy& policy, Build build);

  MapFollower(const MapFollower&) = delete;
  MapFollower& operator=(const MapFollower&) = delete;

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
  /// Waits, and puts the new map in force by exchanging pointers; after a failure the map before stays.
  /// Throws std::logic_error if none is being built, and what Aligner::exchange_map() throws.
  MapOutcome take();

 private:
  struct Built {
    MapOutcome outcome;
    std::shared_ptr<const ReadyMap> map;
  };
  Built built(const MapCircle& around);

  Aligner* aligner_;
  MapUpdatePolicy policy_;
  Build build_;
  std::shared_ptr<const ReadyMap> before_;
  std::future<Built> builder_;  // last: it is waited for before anything that it uses goes
};

}  // namespace ndt::localization
