// The report of a localizer about one scan.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/align/no_returns.hpp"
#include "ndt/initial_pose/pose_prior.hpp"
#include "ndt/initial_pose/search_result.hpp"
#include "ndt/initial_pose/sight_lines.hpp"
#include "ndt/localization/localizer_options.hpp"

namespace ndt::localization {

/// Whether the pose may be used.
enum class Verdict {
  ok,        ///< every gate was passed
  doubtful,  ///< a gate was not passed, see the reason
  lost       ///< too many scans in a row were rejected, and no search found the pose
};
constexpr auto enum_names(Verdict) { return std::array{"ok", "doubtful", "lost"}; }

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
  not_deskewed,      ///< its points have times, but no motion is known yet to move them by
  contradicted,      ///< what it sees contradicts the map: it looks through walls, or ends before them
  unproven           ///< nothing else is wrong, but no threshold is known for the score
};
constexpr auto enum_names(Reason) {
  return std::array{"none",         "scan_empty",  "scan_short_range", "scan_refused", "no_overlap",
                    "non_finite",   "interrupted", "iterations",       "score",        "jump",
                    "spread",       "degenerate",  "not_found",        "scan_frozen",  "not_deskewed",
                    "contradicted", "unproven"};
}
/// Why a pose of another sensor is not used at a time.
enum class Miss {
  none,          ///< it has one
  too_few,       ///< fewer than two poses
  before_first,  ///< the time is before the first pose
  too_old,       ///< a pose beside the time is too far from it in time
  jump,          ///< the two poses beside the time are too far apart in space
  contradicts    ///< there is one, but it is too far from where the scans say the vehicle is
};
constexpr auto enum_names(Miss) {
  return std::array{"none", "too_few", "before_first", "too_old", "jump", "contradicts"};
}
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
  sight,       ///< the comparison of what the scan sees with the map
  search,      ///< for a lost pose
  covariance,  ///< what else it takes, as MULTI_NDT_SCORE's batch of scores
  verdict      ///< the diagnosis
};
constexpr auto enum_names(Stage) {
  return std::array{"prediction", "before", "align",      "neighbours", "no_ground",
                    "sight",      "search", "covariance", "verdict"};
}
using ndt::to_string;

/// The odometry at the time of a scan, in a frame of its own.
struct OdometryAt {
  Transform odometry_from_scan;  ///< interpolated
  Transform older, newer;        ///< the poses that it lies between
};

/// A guess and where it comes from.
struct Predicted {
  Transform map_from_scan;               ///< the expected pose
  Prediction by = Prediction::none;      ///< what was used, which may be less than what was asked for
  Miss odometry_miss = Miss::none;       ///< why the odometry asked for was not used
  std::optional<OdometryAt> odometry{};  ///< nothing: not asked for, or it has no pose at that time
};

/// The motion within a sweep, and whether the points were moved by it.
struct Deskew {
  bool done = false;      ///< they were moved
  bool again = false;     ///< once more after the alignment, whose pose told another motion
  double sweep_s = 0;     ///< from the first time to the last [s]
  double moved_m = 0;     ///< the sensor, in the sweep [m]
  double turned_rad = 0;  ///< and how far it turned [rad]
  double middle_s = 0;    ///< the middle of the sweep after the stamp [s]
  Transform to_middle;    ///< the sensor's pose there in its frame at the stamp, if they were moved
  std::string fault;      ///< why their times make none; empty: they do, or there are none

  /// The points have times that make a sweep.
  bool timed() const { return sweep_s > 0; }
};

/// The largest distance and rotation from an answer to where the alignments from beside it ended. Those
/// beside a good answer come back to it. If the scan leaves a direction free they stay where they began.
/// Beside a poor optimum they find others.
struct Spread {
  bool known = false;                       ///< unless one of them stopped without a pose
  double distance_m = 0, rotation_rad = 0;  ///< the largest ones [m], [rad]
};

/// The gates that an alignment passed, and what follows.
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
/// The attempt of one scan to find a lost pose: a share of a search. Within a time, it is several, also of
/// wider searches.
struct Recovered {
  int attempt = 0;                ///< the last search: 1 for the first since the pose was lost
  int done = 0, planned = 0;      ///< its proposals so far, and in all
  initial_pose::PosePrior prior;  ///< where it looked
  std::vector<initial_pose::Particle> particles;  ///< of this scan, in the order they were aligned
  double nvtl = 0, runner_up_ratio = 0;           ///< as in initial_pose::Evidence
  Stop stop = Stop::no_overlap;                   ///< of the best particle
  bool ambiguous = false;                         ///< the scan fits elsewhere, too
  std::optional<bool> reliable;                   ///< nothing if all that is missing is a threshold
  std::optional<Stop> interrupted;                ///< why the caller's limits ended the search early
  double moved_m = 0;                             ///< from the prior's mean to the best particle
  bool found = false;  ///< reliable, or it would be with a threshold, and not rejected for its spread
  AlignResult result;  ///< the best particle's
  std::optional<Spread> spread;  ///< of what was found; nothing if it was not looked at

  bool unfinished = false;  ///< proposals are left, and were not given up for a wider search

  /// The search found nothing yet, and the next scan takes it up.
  bool goes_on() const { return !found && unfinished; }
};

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
  Deskew deskew;                                         ///< what was done about a rolling sweep
  std::int64_t points = 0;                               ///< finite ones that are left
  int same_bytes = 1;                                    ///< scans in a row with these bytes
  double farthest_m = 0;                                 ///< their largest range

  std::optional<Score> before;         ///< at the prediction
  std::optional<AlignResult> aligned;  ///< nothing if the scan was not aligned, or only searched
  Judgement judgement;                 ///< of `aligned`
  double moved_m = 0;                  ///< from the prediction to `aligned`
  double gap_s = 0;                    ///< since the scan before; 0 for the first
  /// A comparison of what the scan sees at the pose with the map; nothing if there was none. Where nothing is
  /// suspicious, that of the second scan before (LocalizerOptions::sight_every).
  std::optional<initial_pose::Sight> sight;
  std::optional<Spread> spread;     ///< of `aligned`; nothing if it was not looked at
  std::vector<AlignResult> beside;  ///< the alignments of MULTI_NDT from beside the pose
  /// The spread of turned neighbours, for a degenerate `aligned` with a good score. A small one holds the
  /// pose.
  std::optional<Spread> turned;
  std::optional<Score> no_ground;  ///< score of `aligned` without the ground, if asked for and there is any
  std::optional<RegularisationTarget> regularisation;  ///< what pulled it, if anything
  Miss gnss_miss = Miss::none;        ///< why a GNSS position was not used, where there are any
  double gnss_beside_m = 0;           ///< from the prediction to the fix, where there was one
  std::optional<Recovered> recovery;  ///< the search, if there was one
  int rejected = 0;                   ///< scans in a row, with this one
  /// True if the scan was rejected and a search does not wait for more scans. Then the last accepted pose is
  /// half a second old, or the velocity has turned the prediction by 20 degrees since.
  bool beyond_reach = false;
  Diagnosis diagnosis;  ///< for people
};

}  // namespace ndt::localization
