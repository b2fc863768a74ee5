// The common part of every way to search for places: the lattice, its boxes, and what becomes of the best
// poses.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "anywhere/place_lattice.hpp"
#include "ndt/exec/host_team.hpp"
#include "ndt/initial_pose/place_query.hpp"

namespace ndt::initial_pose {

/// Keeps the best score of each neighbourhood, of equal scores the one with the smallest index. The result at
/// the end does not depend on the order of offers.
class BestPlaces {
 public:
  /// Percent of the best score that a pose must have.
  static constexpr int kLeastOfBest = 70;

  struct Entry {
    int score = 0;
    std::uint64_t index = 0;  ///< of the pose in its lattice
  };

  /// wanted: neighbourhoods; most: the largest score.
  BestPlaces(int wanted, int most) : wanted_(wanted), count_of_(static_cast<std::size_t>(most) + 1) {}

  /// The wanted-th largest score so far or the least share of the best, whichever is more, at least 1: poses
  /// with less are not wanted.
  int least() const { return least_.load(std::memory_order_relaxed); }
  void offer(std::uint64_t neighbourhood, const Entry& entry);
  bool empty() const { return best_of_.empty(); }
  /// The wanted ones, best first.
  std::vector<Entry> best() const;

 private:
  const int wanted_;
  std::atomic<int> least_{1};
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Entry> best_of_;
  std::vector<int> count_of_;  ///< neighbourhoods by their score
  int most_ = 0;               ///< the best score so far
  int above_ = 0;              ///< neighbourhoods with more than least_
};

/// Makes the pyramid's part of a view; the rest is to be filled in.
PlaceView grids_of(const PlacePyramid& pyramid);

class PlaceTask {
 public:
  /// Throws std::invalid_argument for more boxes than can be searched. All arguments must stay.
  PlaceTask(const PlacePyramid& pyramid, const ScanSketch& sketch, const PlaceQuery& query, HostPool& pool);

  int headings() const { return lattice_.headings(); }
  /// The boxes that tile the lattice at the coarsest level and hold a pose.
  const std::vector<Box>& boxes() const { return boxes_; }
  double poses() const { return static_cast<double>(positions_) * headings(); }
  /// The largest sum.
  int most() const { return most_; }
  /// Its cells are there once they are placed.
  const PlaceView& view() const { return view_; }
  void place_cells(int heading) {
    lattice_.cells_at(heading, cells_.data() + static_cast<std::size_t>(heading) * sketch_.points.size());
  }
  /// For all headings, on every thread.
  void place_cells(HostPool& pool);

  /// leaf: a pose.
  void offer(BestPlaces& best, const Node& leaf) const;
  PlacesFound found(const BestPlaces& best, std::optional<Stop> interrupted, double share_done) const;

 private:
  void make_boxes(HostPool& pool);
  void require_few() const;
  Place place(const BestPlaces::Entry& entry) const;

  const PlacePyramid& pyramid_;
  const PlaceQuery& query_;
  const ScanSketch& sketch_;
  PlaceLattice lattice_;
  const int levels_;
  const int most_;
  const int sector_;  ///< headings of a neighbourhood
  std::vector<Box> boxes_;
  std::uint64_t positions_ = 0;  ///< of all boxes
  std::vector<Step> cells_;
  PlaceView view_;
};

}  // namespace ndt::initial_pose
