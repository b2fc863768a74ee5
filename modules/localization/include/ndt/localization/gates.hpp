// The conditions that an alignment must meet to be taken for the vehicle's pose.
#pragma once

#include <array>
#include <optional>

#include "ndt/align/align_result.hpp"
#include "ndt/localization/localizer_options.hpp"

namespace ndt::localization {

/// Why a scan's pose is not simply ok.
enum class Reason {
  none,
  scan_empty,        ///< the scan has no point that is a measurement
  scan_short_range,  ///< its farthest point is too near
  scan_refused,      ///< the aligner refused it, see the diagnosis
  no_overlap,        ///< no point has a voxel at the prediction
  non_finite,        ///< the alignment's sums overflowed
  interrupted,       ///< the caller's time was over
  iterations,        ///< the iteration limit came first
  score,             ///< the score is too low
  jump,              ///< the result is far from the prediction
  spread,            ///< alignments from beside the result end elsewhere, or one gives no pose
  degenerate,        ///< the scan leaves a direction free
  not_found,         ///< a search found nothing that can be trusted
  scan_frozen,       ///< it has the bytes of the scans before
  unproven           ///< nothing else is wrong, but no threshold is known for the score
};
constexpr auto enum_names(Reason) {
  return std::array{"none",       "scan_empty",  "scan_short_range", "scan_refused", "no_overlap",
                    "non_finite", "interrupted", "iterations",       "score",        "jump",
                    "spread",     "degenerate",  "not_found",        "scan_frozen",  "unproven"};
}
using ndt::to_string;

/// Why an alignment that stopped so has no pose to judge; none if it has one.
Reason no_pose(Stop stop);

/// The largest distance and rotation from an answer to where the alignments from beside it ended. Those
/// beside a good answer come back to it; where the scan leaves a direction free they stay where they began,
/// and beside a poor optimum they find others.
struct Spread {
  bool known = false;                       ///< unless one of them stopped without a pose
  double distance_m = 0, rotation_rad = 0;  ///< the largest ones [m], [rad]
};

/// Numbers that the gates look at.
struct Measured {
  Stop stop = Stop::no_overlap;          ///< why the alignment ended
  int iterations = 0, oscillations = 0;  ///< of the alignment
  double score = 0;                      ///< of the kind that LocalizerOptions::score says
  double jump_m = 0;                     ///< from the prediction to the result
  std::optional<Spread> spread{};        ///< nothing if it was not looked at
};
/// The values that the gates look at in a result.
Measured measured(const AlignResult& result, const Transform& prediction, const LocalizerOptions& options);

/// The verdict of a spread on a pose.
enum class SpreadVerdict { passed, doubtful, rejected };
/// One that was not looked at passes; one that is not known is doubtful.
SpreadVerdict judged(const std::optional<Spread>& spread, const LocalizerOptions& options);

/// Which gates an alignment passed, and what follows.
struct Judgement {
  bool iterations_ok = false;  ///< fewer than the limit
  bool oscillates = false;     ///< so often that the limit is excused
  bool score_ok = false;       ///< high enough, or not judged
  bool jump_ok = false;        ///< near enough to the prediction
  bool spread_ok = false;      ///< or not looked at
  /// The pose is used. As in Autoware, iterations, oscillation and score alone decide, with two exceptions.
  /// If the score is not judged, a degenerate pose is unused: it looks like a scan without a match. A spread
  /// may also reject a pose, if the options say so.
  bool accepted = false;
  Reason reason = Reason::none;  ///< never none where the score is not judged
};
/// Applies the options' gates.
Judgement judged(const Measured& measured, const LocalizerOptions& options);

}  // namespace ndt::localization
