// Every switch of a localizer and its default: Autoware's, where Autoware has it.
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/align/align_result.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::localization {

/// The source of a scan's guess.
enum class Prediction {
  none,               ///< the pose before
  constant_velocity,  ///< the pose before, moved on with the velocity between the last two
  odometry,           ///< the pose before, moved on as another sensor says; without one, constant_velocity
  imu                 ///< turned by a gyroscope, and moved on by twists; without these, by the velocity
};
constexpr auto enum_names(Prediction) { return std::array{"none", "constant_velocity", "odometry", "imu"}; }

/// The score that a pose must reach.
enum class ScoreKind { transform_probability, nvtl };
constexpr auto enum_names(ScoreKind) { return std::array{"transform_probability", "nvtl"}; }

/// How the covariance of x and y is estimated; the rest of a pose's covariance is fixed.
enum class CovarianceMode {
  fixed,           ///< the same for every scan
  laplace,         ///< inverse of the score's curvature
  multi_ndt,       ///< scatter of alignments that start around the pose
  multi_ndt_score  ///< places around the pose, weighted by their NVTL
};
constexpr auto enum_names(CovarianceMode) {
  return std::array{"fixed", "laplace", "multi_ndt", "multi_ndt_score"};
}
using ndt::to_string;

/// A place beside a pose, in the vehicle's own axes [m].
struct Offset {
  double x = 0, y = 0;  ///< ahead and to the left [m]
};

/// The switches of a localizer; bounds and help are in kLocalizerOptions.
struct LocalizerOptions {
  Prediction prediction = Prediction::constant_velocity;  ///< where the guess comes from
  double buffer_age_s = 1;       ///< poses of other sensors this far from a scan are not used
  double buffer_jump_m = 10;     ///< nor are those with so long a step between them
  double longest_gap_s = 2;      ///< a velocity is not carried over a longer gap between scans
  double required_range_m = 10;  ///< a scan's farthest point must be this far

  double gnss_sigma_m = 1;  ///< deviation of x and y of a fix without a covariance
  /// The buffer of GNSS fixes, as that of odometry; nothing: its bounds.
  std::optional<double> gnss_age_s, gnss_jump_m;
  int frozen_after = 3;  ///< scans in a row with the same bytes are doubtful from here on, 0: never

  ScoreKind score = ScoreKind::nvtl;  ///< what least_score is compared with
  std::optional<double> least_score;  ///< nothing: the score is not judged, and every pose doubtful
  int oscillations = 10;              ///< more reversals excuse a reached iteration limit
  double jump_m = 3;                  ///< from the prediction to the result, and in a longer gap in a second
  int spread_neighbours = 0;          ///< alignments from beside the answer, 0: its spread is not looked at
  double spread_offset_m = 1;         ///< how far beside it they begin
  double spread_bound_m = 0.2;        ///< of a pose that is not doubtful
  std::optional<double> spread_reject_m;  ///< a larger spread rejects the scan; nothing: none does
  /// Every so many ok poses are compared with sight lines, 0: none. Beside the next two scans, unless the
  /// pose is the first, a search found it, or the last comparison contradicted the map.
  int sight_every = 10;
  double sight_bound = 0.15;  ///< share of what may contradict the map there
  int lost_after = 5;         ///< rejected scans in a row

  CovarianceMode covariance = CovarianceMode::fixed;      ///< of x and y
  double position_variance_m2 = kPublishedVarianceFloor;  ///< of the fixed covariance, for x, y and z
  double angle_variance_rad2 = kPublishedAngleVariance;   ///< of the fixed covariance
  /// The temperature of multi_ndt_score [NVTL]; the factor of an estimate.
  double covariance_temperature = 0.05, covariance_scale = 1;
  std::optional<double>
      covariance_floor_m2;  ///< least variance of an estimated x and y; nothing: the fixed one

  int recovery_particles = 200;  ///< of one search; 0: what is lost stays lost
  /// A search is judged after so many of them. The default is its start-up, after which it can answer.
  int recovery_share = 100;
  int recovery_shares = 2;  ///< on one scan, of this search and of the wider ones after it
  /// With a time [ms] one scan gets as many shares as begin within it; nothing: recovery_shares.
  std::optional<double> recovery_ms;
  /// Deviation of x and y of the first search [m], its growth to the next, and its limit [m].
  double recovery_sigma_m = 2, recovery_growth = 1.5, recovery_most_m = 30;

  /// Points this much above the vehicle's pose are scored once more by themselves; nothing: they are not.
  std::optional<double> no_ground_height_m;

  // No flags of this table: facts that an Aligner does not tell about itself, lists, and a switch.
  bool keep_no_returns = false;                        ///< uses also the points that find_no_returns() finds
  bool thin_map = false;                               ///< as initial_pose::kThinMap has it
  bool deskew = true;                                  ///< moves points by their times, where they have some
  int max_iterations = AlignOptions{}.max_iterations;  ///< the aligner's limit
  /// A pose is ok if it converged, and has no covariance: for aligners that give no scores.
  bool by_convergence = false;
  /// The bounds that a search's pose exceeds (initial_pose::SearchOptions).
  std::optional<double> reliable_nvtl, reliable_matched;
  /// The offsets at which the multi modes look.
  std::vector<Offset> offsets{{0, 0.5}, {0, -0.5}, {0.5, 0}, {-0.5, 0}, {1, 0}, {-1, 0}};
};

/// Every option that is a flag, once.
inline constexpr std::tuple kLocalizerOptions{
    Option{"prediction", &LocalizerOptions::prediction, Bounds::none(), "NAME",
           "guess of a scan: the pose before, moved on with the velocity, the odometry, or turned by an IMU"},
    Option{"buffer-age", &LocalizerOptions::buffer_age_s, Bounds::above(0, 3600), "S",
           "odometry and GNSS poses this far from a scan in time are not used"},
    Option{"buffer-jump", &LocalizerOptions::buffer_jump_m, Bounds::above(0, 1e6), "M",
           "odometry and GNSS neighbours this far apart are not used"},
    Option{"gnss-sigma", &LocalizerOptions::gnss_sigma_m, Bounds::above(0, 1e6), "M",
           "deviation of x and y of a GNSS fix that has no covariance; a fix that contradicts the prediction "
           "by both deviations is not used"},
    Option{"gnss-buffer-age", &LocalizerOptions::gnss_age_s, Bounds::above(0, 3600), "S",
           "--buffer-age for GNSS alone (default: --buffer-age)"},
    Option{"gnss-buffer-jump", &LocalizerOptions::gnss_jump_m, Bounds::above(0, 1e6), "M",
           "--buffer-jump for GNSS alone (default: --buffer-jump)"},
    Option{"longest-gap", &LocalizerOptions::longest_gap_s, Bounds::closed(0, 3600), "S",
           "a velocity is not carried over a longer gap between scans"},
    Option{"required-range", &LocalizerOptions::required_range_m, Bounds::closed(0, 1e6), "M",
           "a scan whose farthest point is nearer is not used"},
    Option{"frozen-after", &LocalizerOptions::frozen_after, Bounds::closed(0, 1000000), "N",
           "the N-th scan in a row with the same bytes, and those after it, are doubtful; 0 = never"},
    Option{"score", &LocalizerOptions::score, Bounds::none(), "NAME",
           "score that is compared with --least-score"},
    Option{"least-score", &LocalizerOptions::least_score, Bounds::closed(0, 1000), "SCORE",
           "score that an ok pose must exceed (default for nvtl: 0.8 of the map's own; for "
           "transform_probability: 3 with autoware at 2 m; else no pose is ok)"},
    Option{"oscillations", &LocalizerOptions::oscillations, Bounds::closed(0, Limits::kIterations), "N",
           "an alignment that reverses more often may reach the iteration limit"},
    Option{"jump", &LocalizerOptions::jump_m, Bounds::above(0, 1e6), "M",
           "a result farther from its prediction is doubtful; as much more for every second of a longer gap"},
    Option{
        "spread-neighbours", &LocalizerOptions::spread_neighbours, Bounds::closed(0, 64), "N",
        "alignments from beside the result, in one batch: how far they end from it is its spread; 0 = off"},
    Option{"spread-offset", &LocalizerOptions::spread_offset_m, Bounds::above(0, 100), "M",
           "distance from the result at which they begin, evenly around it"},
    Option{"spread-bound", &LocalizerOptions::spread_bound_m, Bounds::above(0, 100), "M",
           "a pose with a larger spread is doubtful"},
    Option{"spread-reject", &LocalizerOptions::spread_reject_m, Bounds::above(0, 100), "M",
           "a scan with a larger spread is rejected"},
    Option{
        "sight-every", &LocalizerOptions::sight_every, Bounds::closed(0, 1000000), "N",
        "compares what every N-th ok scan sees with the map, and after a contradiction every scan; 0 = off"},
    Option{"sight-bound", &LocalizerOptions::sight_bound, Bounds::above(0, 2), "SHARE",
           "a pose at which more of what the scan sees contradicts the map is doubtful"},
    Option{"lost-after", &LocalizerOptions::lost_after, Bounds::closed(1, 1000000), "N",
           "the vehicle is lost after this many rejected scans in a row"},
    Option{"covariance", &LocalizerOptions::covariance, Bounds::none(), "NAME",
           "estimate of the covariance of x and y"},
    Option{"position-variance", &LocalizerOptions::position_variance_m2, Bounds::above(0, 1e6), "M2",
           "variance of x, y and z along the vehicle's axes unless it is estimated"},
    Option{"angle-variance", &LocalizerOptions::angle_variance_rad2, Bounds::above(0, 10), "RAD2",
           "variance of roll, pitch and yaw"},
    Option{"covariance-temperature", &LocalizerOptions::covariance_temperature, Bounds::above(0, 1000),
           "NVTL", "multi_ndt_score: difference in NVTL that divides a place's weight by e"},
    Option{"covariance-scale", &LocalizerOptions::covariance_scale, Bounds::above(0, 1e6), "FACTOR",
           "scale of an estimated covariance"},
    Option{"covariance-floor", &LocalizerOptions::covariance_floor_m2, Bounds::closed(0, 1e6), "M2",
           "least variance of an estimated x and y along the vehicle's axes, 0 = as estimated (default, as "
           "in Autoware: --position-variance)"},
    Option{"recovery-particles", &LocalizerOptions::recovery_particles, Bounds::closed(0, Limits::kBatch),
           "N", "alignments of one search for a lost pose, 0 = no search"},
    Option{"recovery-share", &LocalizerOptions::recovery_share, Bounds::closed(1, Limits::kBatch), "N",
           "alignments of it before it is judged"},
    Option{"recovery-shares", &LocalizerOptions::recovery_shares, Bounds::closed(1, Limits::kBatch), "N",
           "shares on one scan, of it and of wider ones after it; it goes on at the next scan"},
    Option{
        "recovery-ms", &LocalizerOptions::recovery_ms, Bounds::above(0, 1e9), "MS",
        "time of it on one scan, as many shares as fit (default with --real-time: the sensor's period on a "
        "GPU, 1000 on a CPU; else --recovery-shares, however long they take)"},
    Option{"recovery-sigma", &LocalizerOptions::recovery_sigma_m, Bounds::above(0, 10000), "M",
           "deviation of x and y of the first search around the prediction"},
    Option{"recovery-growth", &LocalizerOptions::recovery_growth, Bounds::closed(1, 10), "FACTOR",
           "growth of the deviation after each search that finds nothing"},
    Option{"recovery-most", &LocalizerOptions::recovery_most_m, Bounds::above(0, 10000), "M",
           "largest deviation of a search"},
    Option{"no-ground-height", &LocalizerOptions::no_ground_height_m, Bounds::closed(-1000, 1000), "M",
           "scores the points this much above the vehicle once more by themselves; Autoware's, of a vehicle "
           "on the ground, is 0.8"},
};

/// Sets the bounds that have no value, and whether the map is thin. `bounds`: of the aligner's map. With
/// another score than NVTL, least_score stays as it is.
void take_bounds(LocalizerOptions& options, const initial_pose::ReliableBounds& bounds);

/// Throws std::invalid_argument "option <name> = <value>: must be in <bounds>". Offsets must be finite, and a
/// spread must not reject a pose before it is doubtful.
void validate(const LocalizerOptions& options);

}  // namespace ndt::localization
