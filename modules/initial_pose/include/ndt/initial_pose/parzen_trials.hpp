// What a search has learnt so far, and the ratio of densities that tells where to look next [Bergstra et al. 2011, section 4].
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// Trials in order of their scores. The best tenth, ten at most, is the good set; both it and the rest are mixtures of
/// equally weighted normal kernels of fixed widths in x, y and yaw. z, roll and pitch are left out, as in the reference: a map
/// has one ground. Not thread-safe.
class ParzenTrials {
 public:
  static constexpr double kWidthM = 0.25;               ///< of x and y
  static constexpr double kWidthRad = 2.5 * kPi / 180;  ///< of yaw, which is compared around the circle
  static constexpr double kRestWeight = 5;              ///< the reference's: stay away from what was bad

  /// Before the trials that scored less, behind those that scored the same. NaN counts as the lowest score.
  void add(const Pose& at, double score);
  /// A place that is being tried: taken for as bad as the worst until drop_pending() [the constant liar of Ginsbourger et al.
  /// 2010, with the minimum].
  void add_pending(const Pose& at);
  void drop_pending();

  std::size_t size() const { return scores_.size(); }  ///< without the pending ones
  /// Size of the good set: none until there are ten trials.
  std::size_t good() const { return good_of(size()); }
  static std::size_t good_of(std::size_t trials);
  /// log of the good set's density minus kRestWeight times the log of the rest's. Needs good() > 0. Where it is no more than
  /// `to_beat` the answer may be -infinity: one near kernel of the rest shows it, and the others need not be looked at.
  double log_density_ratio(double x, double y, double yaw, double to_beat = -kInfinity) const;

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  /// Of the mixture of trials first to last, the largest exponent taken out before any exp; infinity if it is found to exceed `enough`.
  double log_mean_density(std::size_t first, std::size_t last, double x, double y, double yaw, double enough) const;

  std::vector<double> scores_;             // [size()], descending
  std::vector<double> x_, y_, yaw_;        // [size() + pending], in the same order; yaw in [-pi, pi]
  mutable std::vector<double> exponents_;  // scratch: a search asks ten thousand times
};

}  // namespace ndt::initial_pose
