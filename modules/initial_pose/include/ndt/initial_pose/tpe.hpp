// The tree-structured Parzen estimator of Autoware's initial-pose search: proposes places, and learns from how good they were.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ndt/initial_pose/parzen_trials.hpp"
#include "ndt/initial_pose/pose_prior.hpp"

namespace ndt::initial_pose {

struct TpeOptions {
  int startup = 100;     ///< proposals drawn from the prior before any is guided
  int candidates = 100;  ///< drawn for each guided proposal
  std::uint64_t seed = 0;
};

/// [Bergstra et al. 2011, section 4] with the reference's changes: candidates come from the prior, and the rest's density counts
/// five times. With seed 0 and one proposal at a time it draws what a freshly started Autoware draws.
class Tpe {
 public:
  /// Throws std::invalid_argument as require_valid does.
  Tpe(const PosePrior& prior, const TpeOptions& options);

  /// The next `count` places to try; all have to be told before the next are asked for. While the start-up lasts, or nothing is
  /// good yet, they are drawn from the prior; later each is the candidate with the largest density ratio, the first on ties,
  /// with the places before it held for bad.
  std::vector<Pose> ask(int count);
  /// For idle times between ask() and tell(): has what the next `count` proposals will consider drawn, and for the first `weighed`
  /// of them weighs what is promising against what was told so far. Proposals are the same without it. Does nothing while they
  /// come from the prior.
  void draw_ahead(int count, int weighed);
  /// A trial: where a proposal led, and how good it is there, higher is better. NaN is worse than anything.
  void tell(const Pose& at, double score) { trials_.add(at, score); }

  /// Whether the next proposal is made of what was told.
  bool guides() const { return asked_ >= options_.startup && trials_.good() > 0; }
  const ParzenTrials& trials() const { return trials_; }

 private:
  Pose propose();
  void draw_candidates();
  /// Of the candidates of one proposal the one with the largest ratio now, the first on ties. Those that fall more than `margin`
  /// short of another are not looked at to the end.
  std::size_t best_of(std::size_t first, double margin);
  /// Proposals whose candidates are drawn.
  int ahead() const { return static_cast<int>(drawn_.size() - used_) / options_.candidates; }

  PosePrior prior_;
  TpeOptions options_;
  std::mt19937_64 random_;
  ParzenTrials trials_;
  int asked_ = 0;
  struct Drawn {
    PriorDraw draw;
    Candidate candidate;
  };
  std::vector<Drawn> drawn_;  // candidates of the next proposals, in their order
  std::size_t used_ = 0;      // of those
};

}  // namespace ndt::initial_pose
