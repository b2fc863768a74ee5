// A search for the initial pose that goes on while scans come in: each gets a share of its alignments.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "ndt/initial_pose/search.hpp"

namespace ndt::initial_pose {

/// The part of a search that one scan gets. Carried leaders and the verdict come on top: 16 and some 30
/// alignments at most.
struct Share {
  int particles = 0;  ///< proposals at most
  /// Proposals end after this time; nothing: they take what they take.
  std::optional<std::chrono::steady_clock::duration> time;
};

/// The method is tpe. A sensor moves while its pose is searched, so an answer counts for the newest scan
/// only. Every share therefore aligns the newest scan, first from where the leaders so far ended, moved on by
/// what is known of the sensor's motion. Trials of earlier scans only guide the proposals.
class AnytimeSearch {
 public:
  /// Throws std::invalid_argument for options out of range.
  explicit AnytimeSearch(const SearchOptions& options);

  /// Goes on with a scan, and judges what it has. prior: around the sensor's pose now. moved: since the scan
  /// before, in the sensor's own frame. A search whose only share is all of it has the bits of search().
  /// Particles that the share's time cut off are left out and proposed again, unless it left no other. Throws
  /// as search() does.
  SearchResult go_on(Aligner& aligner, const PointCloud& scan, const PosePrior& prior, const Transform& moved,
                     const Share& share, const PerScan& per_scan);

  /// Number of proposals that were aligned, of SearchOptions::particles.
  int done() const { return done_; }
  /// All proposals were aligned.
  bool finished() const { return done_ >= options_.particles; }
  /// The start-up is aligned. Before, rivals of an answer may be unseen.
  bool started() const { return done_ >= options_.startup; }

 private:
  struct Trial {
    Transform end;
    double score = 0;
  };

  SearchOptions next_share(int particles);
  void keep(const SearchResult& result);

  SearchOptions options_;
  std::vector<Trial> trials_;       ///< of every share, where the sensor is now
  std::vector<Transform> leaders_;  ///< ends of the best particle of each mode in the last share
  int done_ = 0, shares_ = 0;
};

}  // namespace ndt::initial_pose
