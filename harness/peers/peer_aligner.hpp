// A peer as an aligner: clouds go over as files, guesses and poses as numbers, and its times are checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/search.hpp"
#include "peers/peer_file.hpp"

namespace ndt::harness {

/// An aligner that takes its own time: a caller's clock would count the way to another process and back.
class TakesItsTime {
 public:
  struct Spent {
    double map_us = 0;    ///< of the last set_map
    double scan_us = 0;   ///< of the last preparation of a scan, which no alignment counts
    double align_us = 0;  ///< of the last alignment or search
    double pipe_us = 0;   ///< that an empty request takes, by our clock
    std::int64_t peak_rss_bytes = 0;
  };
  virtual ~TakesItsTime() = default;
  virtual Spent spent() const = 0;
};

/// Nothing of those that leave the time to their caller.
std::optional<TakesItsTime::Spent> spent_by(const Aligner& aligner);

/// An aligner that may have a search for the initial pose of its own, in place of initial_pose::search.
class SearchesItself {
 public:
  virtual ~SearchesItself() = default;
  /// One particle: the mean of the prior, and the pose that was found. Without a prior the sensor may be
  /// anywhere in the map. Throws std::invalid_argument if it has no such search.
  virtual initial_pose::SearchResult search(const PointCloud& scan,
                                            const std::optional<initial_pose::PosePrior>& prior,
                                            std::uint64_t seed, const PerScan& per_scan) = 0;
};

/// Starts the process with the first map. `peer` must outlive the aligner. Throws std::invalid_argument for
/// options other than threads and resolution: a peer has its own. All calls throw PeerError for what the peer
/// does wrong. A guess or prior that comes twice in a row is asked for half a millimetre beside, at most.
std::unique_ptr<Aligner> make_peer_aligner(const PeerFile& peer, const AlignOptions& options);

}  // namespace ndt::harness
