// The trials of a search so far, and the ratio of densities that tells where to look next [Bergstra et al.
// 2011, section 4].
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// A sum of exponentials with the largest exponent factored out, so that the sum does not underflow. Terms
/// are added in the order in which they come.
struct LogSum {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;  ///< in units of e^largest

  void add(double exponent);
  /// log of the sum's share of `count`.
  double log_mean(std::size_t count) const;
};

/// The coordinates of a pose that kernels compare.
struct Place {
  double x = 0, y = 0, yaw = 0;  ///< [m, rad], yaw in [-pi, pi]
};
/// The place of a pose with any yaw.
Place place_of(const Pose& pose);

/// A place to be judged, and the sum of those kernels of the rest that have been added up for it.
struct Candidate {
  Place at{};
  LogSum rest{};
  std::size_t summed = 0;  ///< number of kernels in that sum
  std::size_t epoch = 0;   ///< epoch of the rest that was summed
};

/// Trials by their scores. The best tenth, ten at most, is the good set; both it and the rest are mixtures of
/// equally weighted normal kernels of fixed widths in x, y and yaw. z, roll and pitch are left out, as in the
/// reference: a map has one ground. Const calls may be made from several threads.
class ParzenTrials {
 public:
  static constexpr double kWidthM = 0.25;               ///< width in x and y
  static constexpr double kWidthRad = 2.5 * kPi / 180;  ///< width in yaw, which is compared around the circle
  static constexpr double kRestWeight = 5;              ///< the reference's; shuns bad trials

  /// Adds a trial. Among equal scores it ranks after those added before. NaN counts as the lowest score.
  void add(const Pose& at, double score);
  /// Adds a place that is being tried. Until drop_pending() it is assumed to score as badly as the worst
  /// trial, which steers the next proposals away [the constant liar of Ginsbourger et al. 2010, with the
  /// minimum].
  void add_pending(const Pose& at);
  void drop_pending() { pending_ = {}; }

  std::size_t size() const { return good_.size() + rest_.size(); }  ///< number of trials without pending ones
  /// Size of the good set: none until there are ten trials.
  std::size_t good() const { return good_.size(); }
  static std::size_t good_of(std::size_t trials);
  /// Returns the log of the good set's density minus kRestWeight times the log of the rest's. Needs good() >
  /// 0. May return -infinity for any value up to `to_beat`, because one near kernel of the rest can show that
  /// without the others. The candidate keeps the sum so far for the next call.
  double log_density_ratio(Candidate& candidate, double to_beat = -kInfinity) const;

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Kernels {
    std::vector<double> x, y, yaw;
    std::size_t size() const { return x.size(); }
    void insert(std::size_t before, const Place& at);
    Place take(std::size_t k);
  };
  struct Rank {
    double score;
    std::size_t told;  // the trial's number
    bool operator<(const Rank& other) const {
      return score != other.score ? score > other.score : told < other.told;
    }
  };
  /// Adds kernels from number `next` on, and moves `next` past those added. Returns false as soon as one
  /// reaches `enough`.
  static bool sum(const Kernels& kernels, const Place& at, double enough, std::size_t& next, LogSum& into);
  /// The same for the rest, from the first kernel that the candidate has not added yet.
  bool sum_rest(Candidate& candidate, double enough) const;
  void append_to_rest(const Place& at, const Rank& rank);
  void promote_best_of_rest();

  Kernels good_, rest_, pending_;              // good_: best first; rest_, pending_: in order of arrival
  std::vector<Rank> good_ranks_, rest_ranks_;  // ranks of the same kernels
  std::size_t epoch_ = 0;                      // changes when a kernel leaves the rest
};

}  // namespace ndt::initial_pose
