// The trials of a search so far, and the ratio of densities that tells where to look next [Bergstra et al.
// 2011, section 4].
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// A sum of exponentials with the largest exponent factored out, so that the sum does not underflow. Terms
/// are added in the order in which they come.
struct LogSum {
  double largest = -std::numeric_limits<double>::infinity();  ///< exponent that is factored out
  double sum = 0;                                             ///< in units of e^largest

  /// Adds e^exponent.
  void add(double exponent);
  /// log of the sum's share of `count`.
  double log_mean(std::size_t count) const;
};

/// The coordinates of a pose that kernels compare.
struct KernelPlace {
  double x = 0, y = 0, yaw = 0;  ///< [m, rad], yaw in [-pi, pi]
};
/// The place of a pose with any yaw.
KernelPlace place_of(const Pose& pose);

/// A place to be judged, and the exponent of the rest's kernel that is nearest to it.
struct Candidate {
  KernelPlace at{};                                           ///< where it is
  double nearest = -std::numeric_limits<double>::infinity();  ///< exponent of the rest's nearest kernel
  std::uint32_t compared = 0;  ///< number of kernels of the rest among which that is
  std::uint32_t epoch = 0;     ///< epoch of the rest that they are of
};

/// Bounds of a candidate's ratio.
struct RatioBounds {
  double low, high;  ///< at least and at most
};

/// Trials by their scores. The best tenth, ten at most, is the good set. Both it and the rest are mixtures of
/// equally weighted normal kernels of fixed widths in x, y and yaw. z, roll and pitch are left out, as in the
/// reference: a map has one ground. Const calls may be made from several threads.
class ParzenTrials {
 public:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();  ///< more than any ratio
  static constexpr double kWidthM = 0.25;                                       ///< width in x and y
  static constexpr double kWidthRad = 2.5 * kPi / 180;  ///< width in yaw, which is compared around the circle
  static constexpr double kRestWeight = 5;              ///< the reference's; shuns bad trials

  /// Adds a trial. Among equal scores it ranks after those added before. NaN counts as the lowest score.
  void add(const Pose& at, double score);
  /// Adds a place that is being tried. Until drop_pending() it is assumed to score as badly as the worst
  /// trial, which steers the next proposals away [the constant liar of Ginsbourger et al. 2010, with the
  /// minimum].
  void add_pending(const Pose& at);
  /// Forgets the pending places.
  void drop_pending();

  std::size_t size() const { return good_.size() + rest_.size(); }  ///< number of trials without pending ones
  /// Size of the good set: none until there are ten trials.
  std::size_t good() const { return good_.size(); }
  /// Size of the good set among so many trials.
  static std::size_t good_of(std::size_t trials);
  /// Returns the log of the good set's density minus kRestWeight times the log of the rest's. Needs good() >
  /// 0.
  double log_density_ratio(const KernelPlace& at) const;
  /// Bounds it by the nearest kernels alone, which takes no exponential: a mean of kernels is at most the
  /// largest, and at least its share. The candidate keeps the nearest of the rest for the next call. Where it
  /// becomes clear early that the ratio is below `wanted`, the bounds are wider.
  RatioBounds bounds(Candidate& candidate, double wanted = -kInfinity) const;
  /// Compares the candidate with the rest's kernels told so far, ahead of bounds().
  void compare(Candidate& candidate) const;

 private:
  /// Kernels are read four at a time, so that some infinitely far follow the last.
  static constexpr std::size_t kSpare = 3;

  struct Kernels {
    using Values = std::vector<double>;
    Values x = Values(kSpare, kInfinity), y = x, yaw = Values(kSpare);
    std::size_t size() const { return x.size() - kSpare; }
    void insert(std::size_t before, const KernelPlace& at);
    KernelPlace take(std::size_t k);
  };
  struct Rank {
    double score;
    std::size_t told;  // the trial's number
    bool operator<(const Rank& other) const {
      return score != other.score ? score > other.score : told < other.told;
    }
  };
  /// Adds all kernels at a place.
  static void add_kernels(const Kernels& kernels, const KernelPlace& at, LogSum& into);
  /// Bounds at a place with such exponents of the nearest kernels.
  RatioBounds bounds_of(double good_nearest, double nearest) const;
  /// Compares with up to `most` kernels of the rest more.
  void compare(Candidate& candidate, std::size_t most) const;
  /// The exponent of the nearest of `count` kernels.
  static double nearest(const Kernels& kernels, std::size_t first, std::size_t count, const KernelPlace& at);
  void enter(const Pose& at, double score);
  void count();
  void append_to_rest(const KernelPlace& at, const Rank& rank);
  void promote_best_of_rest();

  Kernels good_, rest_, pending_;              // good_: best first; rest_, pending_: in order of arrival
  std::vector<Rank> good_ranks_, rest_ranks_;  // ranks of the same kernels
  double log_good_size_ = 0;
  double log_rest_size_ = 0;  // of the number of rest_ and pending_
  std::uint32_t epoch_ = 0;   // changes when a kernel leaves the rest
};

}  // namespace ndt::initial_pose
