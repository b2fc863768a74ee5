// The tree-structured Parzen estimator of Autoware's initial-pose search: it proposes places, and learns from
// their scores.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "ndt/initial_pose/parzen_trials.hpp"
#include "ndt/initial_pose/pose_prior.hpp"

namespace ndt::initial_pose {

/// One of the two normal numbers that a point in the unit circle gives [Marsaglia and Bray 1964], before the
/// costly half of their computation.
struct PolarNumber {
  /// The point's coordinate, and its squared distance from the centre.
  double component = 0, squared_radius = 1;
  /// Mean 0, deviation 1.
  double value() const;
};

/// A place drawn from a prior. Its numbers are computed on demand, because most candidates need only x, y
/// and yaw.
struct PriorDraw {
  PolarNumber normal[5];  ///< of x y z roll pitch
  double yaw = 0;         ///< [rad]
};

/// Draws from a prior without a heading the numbers that libstdc++'s distributions draw, as the reference
/// does, but with every standard library. Like those it keeps the second number of a pair, so draws depend on
/// where the sampler was made: one per group of draws.
class PriorSampler {
 public:
  /// Draws from this prior.
  explicit PriorSampler(const PosePrior& prior) : prior_(prior) {}
  /// In the order x y z roll pitch yaw.
  PriorDraw draw(std::mt19937_64& random);
  double x(const PriorDraw& draw) const { return of(draw, 0); }  ///< [m]
  double y(const PriorDraw& draw) const { return of(draw, 1); }  ///< [m]
  Pose pose(const PriorDraw& draw) const;                        ///< all six

 private:
  PolarNumber normal(int coordinate, std::mt19937_64& random);
  double of(const PriorDraw& draw, int i) const {
    return draw.normal[i].value() * prior_.sigma[i] + coordinate(prior_.mean, i);
  }

  PosePrior prior_;
  PolarNumber kept_[6];
  bool has_kept_[6] = {};
};

/// How many places are drawn.
struct TpeOptions {
  int startup = 100;       ///< proposals drawn from the prior before any is guided
  int candidates = 100;    ///< drawn for each guided proposal
  std::uint64_t seed = 0;  ///< the same seed gives the same places
};

/// [Bergstra et al. 2011, section 4] with the reference's changes: candidates come from the prior, and the
/// rest's density counts five times. With seed 0 and one proposal at a time it draws what a freshly started
/// Autoware draws.
class Tpe {
 public:
  /// Throws std::invalid_argument as require_valid does.
  Tpe(const PosePrior& prior, const TpeOptions& options);

  /// Gives the next `count` places to try. During the start-up, and until there is a good set, they are drawn
  /// from the prior. Later each is the candidate with the largest density ratio, the first on ties. Places
  /// that were given before it and are not told yet are assumed to be bad.
  std::vector<Pose> ask(int count);
  /// Works ahead in idle times between ask() and tell(). Draws the candidates of the next `count` proposals,
  /// and compares those of the first `compared` proposals with the trials told so far. Proposals are the same
  /// without it. Does nothing while they come from the prior.
  void draw_ahead(int count, int compared);
  /// Tells a trial: the pose to which the first place led that is not told yet, and its score. A higher score
  /// is better, and NaN is the worst.
  void tell(const Pose& at, double score);

  /// Whether the next proposal is guided by the trials told so far.
  bool guides() const { return asked_ >= options_.startup && trials_.good() > 0; }
  int asked() const { return asked_; }  ///< number of places given
  /// The trials told so far.
  const ParzenTrials& trials() const { return trials_; }

 private:
  Pose propose();
  void draw_candidates();
  /// Compares the candidates of the next `count` proposals, which are drawn, with the trials.
  void compare(int count);
  /// Finds the candidate of one proposal with the largest ratio, the first on ties. Those whose bounds are
  /// below another's are not weighed.
  std::size_t best_of(std::size_t first);
  /// Number of proposals whose candidates are already drawn.
  int ahead() const { return static_cast<int>(drawn_.size() - used_) / options_.candidates; }

  PosePrior prior_;
  TpeOptions options_;
  std::mt19937_64 random_;
  ParzenTrials trials_;
  int asked_ = 0;
  std::deque<Pose> untold_;  // places given and not told, in their order
  struct Drawn {
    PriorDraw draw;
    Candidate candidate;
  };
  std::vector<Drawn> drawn_;     // candidates of the next proposals, in their order
  std::vector<double> highest_;  // of best_of()
  std::size_t used_ = 0;         // number of drawn_ that past proposals used
};

}  // namespace ndt::initial_pose
