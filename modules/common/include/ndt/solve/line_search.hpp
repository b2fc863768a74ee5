// The step length along the Newton direction, found by a state machine over trial steps. It minimises
// φ(α) = -score(p + α d). Every step it returns was evaluated, at its own pose and with its own near voxels.
#pragma once

#include <cmath>

#include "ndt/align/align_options.hpp"
#include "ndt/solve/more_thuente.hpp"

namespace ndt {

struct LineSearchOptions {
  LineSearch kind = LineSearch::off;
  StepRatios step_ratios = StepRatios::fixed8;
  double low = 0.005, high = 0.1;  ///< epsilon/2 and the longest step
};

enum class Verdict { try_next, take_this, take_best, failed };

class StepSearch {
 public:
  static constexpr double kCurvature = 0.9;  // nu
  static constexpr int kMaxTrials = 10, kBatchedTrials = 8;

  NDT_HD static double first_trial(double newton_length, double low, double high) {
    return std::fmax(std::fmin(newton_length, high), low);
  }

  StepSearch() = default;
  NDT_HD StepSearch(const LineSearchOptions& options, const LinePoint& origin, double newton_length) {
    start(options, origin, newton_length);
  }
  /// Begins along a direction. origin: φ(0) and φ'(0) < 0; newton_length: |δ|.
  NDT_HD void start(const LineSearchOptions& options, const LinePoint& origin, double newton_length) {
    options_ = options;
    start_ = origin;
    alpha_ = first_ = first_trial(newton_length, options.low, options.high);
    best_value_ = 0;
    trials_ = 0;
    any_decreased_ = current_is_best_ = false;
    if (options.kind != LineSearch::off) choose_first();
  }

  /// Takes the first trial, where no line is searched.
  NDT_HD void take(double alpha) { alpha_ = alpha; }

  NDT_HD double alpha() const { return alpha_; }
  /// Whether a trial may be refused.
  NDT_HD bool trying() const { return options_.kind != LineSearch::off; }
  /// Steps that can be evaluated together before any of them is offered: alpha() and those that follow if
  /// none is taken.
  NDT_HD int trials_ahead() const {
    return options_.kind == LineSearch::batched ? kBatchedTrials - trials_ : 1;
  }
  NDT_HD double trial_ahead(int k) const { return k == 0 ? alpha_ : ratio_step(trials_ + k); }
  /// Whether the current trial is the best so far, after offer(). The caller keeps the best trial.
  NDT_HD bool current_is_best() const { return current_is_best_; }

  /// Takes φ and φ' at alpha() and decides what to do.
  NDT_HD Verdict offer(double value, double slope) {
    if (options_.kind == LineSearch::off) return Verdict::take_this;
    const LinePoint trial{alpha_, value, slope};
    ++trials_;
    const bool decreased = value <= start_.value + MoreThuente::kSufficientDecrease * alpha_ * start_.slope;
    if (decreased &&
        (std::fabs(slope) <= kCurvature * std::fabs(start_.slope) || (alpha_ >= options_.high && slope < 0)))
      return Verdict::take_this;
    current_is_best_ = decreased && !(any_decreased_ && value >= best_value_);
    if (current_is_best_) any_decreased_ = true, best_value_ = value;

    const bool more_thuente = options_.kind == LineSearch::more_thuente;
    if (trials_ >= (more_thuente ? kMaxTrials : kBatchedTrials)) return settle();
    const double next = more_thuente ? interpolation_.next(trial) : ratio_step(trials_);
    // Ends when the next step is the same, because it would give the same values.
    if (more_thuente && !(std::fabs(next - alpha_) > 1e-12)) return settle();
    alpha_ = next;
    return Verdict::try_next;
  }

 private:
  /// Takes the first trial of a search. Not inlined, because most loops search no line.
  NDT_HD NDT_NOINLINE void choose_first() {
    if (options_.kind == LineSearch::more_thuente)
      interpolation_ = MoreThuente(start_.value, start_.slope, first_, options_.low, options_.high);
    if (options_.kind == LineSearch::batched) alpha_ = ratio_step(0);
  }
  /// Step k of the set of step ratios times the first trial, clamped.
  NDT_HD double ratio_step(int k) const {
    double ratio = 1;
    if (options_.step_ratios == StepRatios::fixed8)
      ratio = fixed8(k);
    else
      for (int i = 0; i < k; ++i) ratio *= 0.618;
    return std::fmax(options_.low, std::fmin(first_ * ratio, options_.high));
  }
  /// Gives a ratio by a switch, because a device thread would keep an array in memory of its own.
  NDT_HD static double fixed8(int k) {
    switch (k) {
      case 0: return 1;
      case 1: return 0.75;
      case 2: return 0.618;
      case 3: return 0.5;
      case 4: return 0.382;
      case 5: return 0.25;
      case 6: return 0.125;
      default: return 0.0625;
    }
  }
  NDT_HD Verdict settle() const { return any_decreased_ ? Verdict::take_best : Verdict::failed; }

  LineSearchOptions options_;
  LinePoint start_;
  MoreThuente interpolation_;
  double first_ = 0, alpha_ = 0, best_value_ = 0;
  int trials_ = 0;
  bool any_decreased_ = false, current_is_best_ = false;
};

}  // namespace ndt
