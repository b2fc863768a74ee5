// What a search has learnt so far, and the ratio of densities that tells where to look next [Bergstra et al. 2011, section 4].
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// A sum of exponentials with the largest exponent taken out, so that none underflows. The terms count in the order they come.
struct LogSum {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;  ///< in units of e^largest

  void add(double exponent);
  /// log of the sum's share of `count`.
  double log_mean(std::size_t count) const;
};

/// What kernels look at of a pose.
struct Place {
  double x = 0, y = 0, yaw = 0;  ///< [m, rad], yaw in [-pi, pi]
};
/// Of any yaw.
Place place_of(const Pose& pose);

/// A place to be judged, and the kernels of the rest as far as they have been added up there.
struct Candidate {
  Place at{};
  LogSum rest{};
  std::size_t summed = 0;  ///< kernels in it
  std::size_t epoch = 0;   ///< of the rest
};

/// Trials by their scores. The best tenth, ten at most, is the good set; both it and the rest are mixtures of
/// equally weighted normal kernels of fixed widths in x, y and yaw. z, roll and pitch are left out, as in the reference: a map
/// has one ground. Const calls may be made from several threads.
class ParzenTrials {
 public:
  static constexpr double kWidthM = 0.25;               ///< of x and y
  static constexpr double kWidthRad = 2.5 * kPi / 180;  ///< of yaw, which is compared around the circle
  static constexpr double kRestWeight = 5;              ///< the reference's: stay away from what was bad

  /// Worse than those told before that scored the same. NaN counts as the lowest score.
  void add(const Pose& at, double score);
  /// A place that is being tried: taken for as bad as the worst until drop_pending() [the constant liar of Ginsbourger et al.
  /// 2010, with the minimum].
  void add_pending(const Pose& at);
  void drop_pending() { pending_ = {}; }

  std::size_t size() const { return good_.size() + rest_.size(); }  ///< without the pending ones
  /// Size of the good set: none until there are ten trials.
  std::size_t good() const { return good_.size(); }
  static std::size_t good_of(std::size_t trials);
  /// log of the good set's density minus kRestWeight times the log of the rest's. Needs good() > 0. Where it is no more than
  /// `to_beat` the answer may be -infinity: one near kernel of the rest shows it, and the others need not be looked at. The
  /// candidate keeps what was added up, for the next time.
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
    std::size_t told;  // its number
    bool operator<(const Rank& other) const { return score != other.score ? score > other.score : told < other.told; }
  };
  /// Adds kernels from number `next` on; false as soon as one of them reaches `enough`. `next` says how far it came.
  static bool sum(const Kernels& kernels, const Place& at, double enough, std::size_t& next, LogSum& into);
  /// The same for the rest, from where the candidate has come to.
  bool sum_rest(Candidate& candidate, double enough) const;
  void append_to_rest(const Place& at, const Rank& rank);
  void promote_best_of_rest();

  Kernels good_, rest_, pending_;              // best first; in the order they came to it
  std::vector<Rank> good_ranks_, rest_ranks_;  // of the same
  std::size_t epoch_ = 0;                      // changes when one leaves the rest
};

}  // namespace ndt::initial_pose
