// The report of a localizer about one scan.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/align/no_returns.hpp"
#include "ndt/localization/beside.hpp"
#include "ndt/localization/gates.hpp"
#include "ndt/localization/prediction.hpp"
#include "ndt/localization/recovery.hpp"

namespace ndt::localization {

/// Whether the pose may be used.
enum class Verdict {
  ok,        ///< every gate was passed
  doubtful,  ///< a gate was not passed, see the reason
  lost       ///< too many scans in a row were rejected, and no search found the pose
};
constexpr auto enum_names(Verdict) { return std::array{"ok", "doubtful", "lost"}; }

/// The source of the pose.
enum class PoseSource { aligned, searched, predicted };
constexpr auto enum_names(PoseSource) { return std::array{"aligned", "searched", "predicted"}; }

/// How grave a diagnosis is, as ROS has it.
enum class Level { ok, warn, error };
constexpr auto enum_names(Level) { return std::array{"OK", "WARN", "ERROR"}; }

/// Parts of what a localizer does with a scan, for a caller who takes their times.
enum class Stage {
  prediction,  ///< the guess, the regularisation target, and whether the scan can be used
  before,      ///< the score at the prediction
  align,       ///< the alignment, with its scores
  neighbours,  ///< the batch of alignments from beside the answer, MULTI_NDT's and the spread's
  no_ground,   ///< the score without ground
  search,      ///< for a lost pose
  covariance,  ///< what else it takes, as MULTI_NDT_SCORE's batch of scores
  verdict      ///< the diagnosis
};
constexpr auto enum_names(Stage) {
  return std::array{"prediction", "before", "align",      "neighbours",
                    "no_ground",  "search", "covariance", "verdict"};
}
using ndt::to_string;

/// The level of a scan's diagnostics, which only rises, and a line for each reason.
struct Diagnosis {
  Level level = Level::ok;            ///< the gravest so far
  std::vector<std::string> messages;  ///< a line for each reason
  /// Adds a reason; the level only rises.
  void raise(Level to, std::string message);
};

/// Everything about one scan: metres, radians, seconds.
struct ScanReport {
  double stamp_s = 0;                         ///< of the scan
  Verdict verdict = Verdict::lost;            ///< whether to use the pose
  Reason reason = Reason::none;               ///< why it is not ok
  Transform map_from_scan;                    ///< the pose
  PoseSource source = PoseSource::predicted;  ///< where it comes from
  std::optional<Mat6> covariance;             ///< of x y z roll pitch yaw; nothing for a predicted pose
  CovarianceMode covariance_by = CovarianceMode::fixed;  ///< what was used, which may be less than asked for
  std::string covariance_missing;                        ///< why the estimate asked for was not made
  Predicted prediction;                                  ///< the guess
  NoReturns no_returns;                                  ///< points that were left out first
  std::int64_t points = 0;                               ///< finite ones that are left
  int same_bytes = 1;                                    ///< scans in a row with these bytes
  double farthest_m = 0;                                 ///< their largest range

  std::optional<Score> before;         ///< at the prediction
  std::optional<AlignResult> aligned;  ///< nothing if the scan was not aligned, or only searched
  Judgement judgement;                 ///< of `aligned`
  double moved_m = 0;                  ///< from the prediction to `aligned`
  std::optional<Spread> spread;        ///< of `aligned`; nothing if it was not looked at
  std::optional<Score> no_ground;  ///< score of `aligned` without the ground, if asked for and there is any
  std::optional<RegularisationTarget> regularisation;  ///< what pulled it, if anything
  Miss gnss_miss = Miss::none;        ///< why a GNSS position was not used, where there are any
  double gnss_beside_m = 0;           ///< from the prediction to the fix, where there was one
  std::optional<Recovered> recovery;  ///< the search, if there was one
  int rejected = 0;                   ///< scans in a row, with this one
  Diagnosis diagnosis;                ///< for people
};

/// Raises the diagnosis for everything in the report that a person should see.
void diagnose(ScanReport& report, const LocalizerOptions& options);

}  // namespace ndt::localization
