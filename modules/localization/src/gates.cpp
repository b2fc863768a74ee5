#include "ndt/localization/gates.hpp"

#include <algorithm>

namespace ndt::localization {
namespace {

/// The verdict on an aligner without scores.
Judgement judged_by_convergence(Stop stop) {
  Judgement judgement{true, false, true, true, true, stop == Stop::converged, no_pose(stop)};
  judgement.iterations_ok = stop != Stop::max_iterations;
  if (!judgement.accepted && judgement.reason == Reason::none) judgement.reason = Reason::iterations;
  return judgement;
}

}  // namespace

Reason no_pose(Stop stop) {
  switch (stop) {
    case Stop::no_overlap: return Reason::no_overlap;
    case Stop::non_finite: return Reason::non_finite;
    case Stop::timeout:
    case Stop::cancelled: return Reason::interrupted;
    default: return Reason::none;
  }
}

Measured measured(const AlignResult& result, const Transform& prediction, double gap_s,
                  const LocalizerOptions& options) {
  return {result.stop,
          result.iterations,
          result.oscillation_count,
          options.score == ScoreKind::nvtl ? result.nvtl : result.transform_probability,
          translation_error_m(prediction, result.map_from_scan),
          gap_s};
}

double largest_jump_m(const Measured& measured, const LocalizerOptions& options) {
  return options.jump_m * std::max(1.0, measured.gap_s);
}

SpreadVerdict judged(const std::optional<Spread>& spread, const LocalizerOptions& options) {
  if (!spread) return SpreadVerdict::passed;
  if (!spread->known) return SpreadVerdict::doubtful;
  if (options.spread_reject_m && spread->distance_m > *options.spread_reject_m)
    return SpreadVerdict::rejected;
  return spread->distance_m > options.spread_bound_m ? SpreadVerdict::doubtful : SpreadVerdict::passed;
}

Judgement judged(const Measured& m, const LocalizerOptions& options) {
  if (options.by_convergence) return judged_by_convergence(m.stop);
  Judgement judgement;
  judgement.iterations_ok = m.iterations < options.max_iterations;
  judgement.oscillates = m.oscillations > options.oscillations;
  judgement.score_ok = !options.least_score || m.score > *options.least_score;
  judgement.jump_ok = m.jump_m <= largest_jump_m(m, options);
  const SpreadVerdict spread = judged(m.spread, options);
  judgement.spread_ok = spread == SpreadVerdict::passed;
  judgement.reason = no_pose(m.stop);
  if (judgement.reason != Reason::none) return judgement;
  const bool ended = judgement.iterations_ok || judgement.oscillates, degenerate = m.stop == Stop::degenerate;
  const bool scattered = spread == SpreadVerdict::rejected;
  judgement.accepted =
      ended && judgement.score_ok && !scattered && (!degenerate || m.held || options.least_score);
  if (!judgement.score_ok)
    judgement.reason = Reason::score;
  else if (!ended)
    judgement.reason = Reason::iterations;
  else if (scattered)
    judgement.reason = Reason::spread;
  else if (degenerate && (!m.held || options.thin_map))
    judgement.reason = Reason::degenerate;
  else if (!judgement.jump_ok)
    judgement.reason = Reason::jump;
  else if (!judgement.spread_ok)
    judgement.reason = Reason::spread;
  else if (!options.least_score)
    judgement.reason = Reason::unproven;
  return judgement;
}

}  // namespace ndt::localization
