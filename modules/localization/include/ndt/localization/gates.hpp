// The conditions that an alignment must meet to be taken for the vehicle's pose.
#pragma once

#include <optional>

#include "ndt/align/align_result.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::localization {

/// Why an alignment that stopped so has no pose to judge; none if it has one.
Reason no_pose(Stop stop);

/// Numbers that the gates look at.
struct Measured {
  Stop stop = Stop::no_overlap;          ///< why the alignment ended
  int iterations = 0, oscillations = 0;  ///< of the alignment
  double score = 0;                      ///< of the kind that LocalizerOptions::score says
  double jump_m = 0;                     ///< from the prediction to the result
  double gap_s = 0;                      ///< since the scan before
  std::optional<Spread> spread{};        ///< nothing if it was not looked at
  bool held = false;  ///< a degenerate one, to which turned alignments from beside it came back
};
/// The values that the gates look at in a result.
Measured measured(const AlignResult& result, const Transform& prediction, double gap_s,
                  const LocalizerOptions& options);

/// The verdict of a spread on a pose.
enum class SpreadVerdict { passed, doubtful, rejected };
/// One that was not looked at passes; one that is not known is doubtful.
SpreadVerdict judged(const std::optional<Spread>& spread, const LocalizerOptions& options);

/// The largest jump_m that is no doubt [m]: LocalizerOptions::jump_m, times the seconds of a gap above 1 s. A
/// prediction over a long gap is worth less.
double largest_jump_m(const Measured& measured, const LocalizerOptions& options);

/// Applies the options' gates.
Judgement judged(const Measured& measured, const LocalizerOptions& options);

}  // namespace ndt::localization
