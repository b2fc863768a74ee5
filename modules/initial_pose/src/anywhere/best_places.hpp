// The best pose of each neighbourhood, and the score that a pose must have to be among those that are wanted.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

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

}  // namespace ndt::initial_pose
