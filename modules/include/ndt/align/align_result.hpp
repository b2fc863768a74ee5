// The result of a registration: the pose, how the alignment ended, and how far the pose can be trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt {

/// Why an alignment ended. A numerical outcome is data, never an exception.
enum class Stop {
  converged,           ///< the step rule was met and the optimum is well conditioned (see Conditioning)
  max_iterations,      ///< the iteration limit came first
  no_overlap,          ///< no scan point has a voxel: the guess is returned
  degenerate,          ///< ended by step rule or limit, but the scan leaves a direction (nearly) free
  non_finite,          ///< a sum was not finite: the guess is returned
  line_search_failed,  ///< no step raised the score: the pose so far is returned
  cancelled,           ///< PerScan::stop was requested: the pose so far is returned
  timeout              ///< PerScan::deadline passed: the pose so far is returned
};
/// "converged", "max_iterations" and so on.
std::string_view to_string(Stop stop);

/// Largest condition number of -H (rotations scaled by the scan's mean range, so every entry is per metre)
/// that still counts as converged. Golden runs with NVTL > 2.3 (2 m) reach 115 at most.
inline constexpr double kMaxConditionNumber = 1000.0;
/// The limit for the matched surfaces. Golden runs that converge reach 73 (2 m) and 124 (1 m). Exact planes
/// of 5 to 40 m start beyond 1e6 (float32 sums). With 1 mm of noise they start at 6.6e4 (0.5 m voxels) and
/// 5.6e5 (1 m).
inline constexpr double kMaxSurfaceConditionNumber = 1000.0;

/// Smallest Conditioning::push_sigmas of a pose that counts as converged. Good poses of twelve recordings and
/// synthetic sets and of 300 built-in scenes reach 4.1 at least. Exceptions are one scan of KITTI 07 (3.6)
/// and two of the scenes (3.3). None of 734 alignments in scenes that leave a direction free, with
/// noise of 1 to 20 cm, reaches it.
inline constexpr double kLeastPushSigmas = 4.0;

/// Symmetric 2x2 covariance of x and y in the map frame [m^2].
struct PositionCovariance {
  double xx = 0, xy = 0, yy = 0;  ///< [m^2]
};

/// Smallest variance that Autoware publishes along the vehicle's axes [m^2]: (0.15 m)^2.
inline constexpr double kPublishedVarianceFloor = 0.0225;
/// Variance that Autoware publishes for roll, pitch and yaw [rad^2]: (0.025 rad)^2.
inline constexpr double kPublishedAngleVariance = 0.000625;

/// The covariance with its variances along the vehicle's own x and y raised to at least `floor` [m^2], as
/// Autoware does before it publishes one.
PositionCovariance with_variance_floor(const PositionCovariance& covariance, const Transform& map_from_scan,
                                       double floor = kPublishedVarianceFloor);

/// Covariance of x y z roll pitch yaw [m, rad] in the map frame, in the order of ROS's PoseWithCovariance. x
/// and y have the given covariance; the other variances are fixed, as Autoware's are. Without `xy` all are.
Mat6 pose_covariance(const std::optional<PositionCovariance>& xy,
                     double position_variance_m2 = kPublishedVarianceFloor,
                     double angle_variance_rad2 = kPublishedAngleVariance);

/// How well the scan fixes the returned pose, by two matrices with rotations scaled by the mean range. The
/// first, -H, describes the score. The second is the information of the distances to the matched surfaces, Σ
/// w JᵀnnᵀJ. It sums at most 256 points, with their voxels' normals n and flatness w. It recognises a plane
/// even if its voxels' Gaussians are thick.
struct Conditioning {
  /// Condition number of -H: largest over smallest eigenvalue; infinite if the smallest is not positive.
  double condition_number = 0;
  /// Condition number of the surfaces' information; 0 unless the step rule was met or the limit reached.
  double surface_condition_number = 0;
  /// How much score the pose loses when it is pushed 3/4 of a voxel edge along the directions that the
  /// surfaces hold least. It is the mean loss of at most 512 points over its standard error, the least of two
  /// directions and both ways. Part of the error grows with the score, because voxels depict surfaces
  /// coarsely. Noise of the surfaces' normals looks like information about a free direction, but a push along
  /// it costs nothing. 0 unless the step rule was met.
  double push_sigmas = 0;
  /// Unit eigenvector of the smallest eigenvalue of -H (x y z roll pitch yaw, rotations in metres). It is
  /// that of the surfaces' information if that is worse conditioned, each relative to its bound.
  Vec6 weak_direction;
  /// Whether the matched surfaces leave no direction (nearly) free.
  bool surfaces_fix_the_pose() const { return within(surface_condition_number, kMaxSurfaceConditionNumber); }
  /// Whether all three numbers are within their bounds: an alignment that ends by the step rule is then
  /// Stop::converged.
  bool well_posed() const {
    return within(condition_number, kMaxConditionNumber) && surfaces_fix_the_pose() &&
           push_sigmas >= kLeastPushSigmas;
  }
  /// Whether a condition number is positive and at most `bound`.
  static bool within(double number, double bound) { return number > 0 && number <= bound; }
};

/// One evaluated pose of a trace: the guess first, then one per iteration.
struct TracePoint {
  Transform map_from_scan;                                ///< the evaluated pose
  double score = 0, transform_probability = 0, nvtl = 0;  ///< as in AlignResult
  double step_m = 0;    ///< length of the step that led here, 0 for the guess and for a step taken back
  int level = 0;        ///< of the score: 0 is the coarsest, one past the last a finish's windows
  double radius_m = 0;  ///< longest next step, with StepControl::trust_region
};

/// Whether the lines have a level and a radius: those of StepControl::trust_region do.
inline bool has_radii(std::span<const TracePoint> trace) { return !trace.empty() && trace[0].radius_m > 0; }

/// The step that an alignment took last, with Finish::windows.
struct FinishStep {
  /// Length, with rotations at the scan's mean range: long ones tell of a wrong pose. One of a quarter
  /// of a window was not taken.
  double step_m = 0;
  double score = 0;  ///< before it: sum over points of exp(-d²/2) in their windows, regularisation included
};

/// Stands for a count that the implementation's library does not reveal; null in JSON.
inline constexpr int kNotCounted = -1;

/// The result of an alignment. Metres, radians.
struct AlignResult {
  Transform map_from_scan;           ///< the pose; the guess where it ended without one (see Stop)
  Stop stop = Stop::no_overlap;      ///< why it ended; only Stop::converged is to be relied on
  int iterations = 0;                ///< Newton steps
  int evaluations = 0;               ///< passes over the scan, line search included
  int oscillation_count = 0;         ///< longest run of consecutive reversed position steps
  int newton_fallbacks = 0;          ///< iterations in which -H was not positive definite; or kNotCounted
  std::int64_t correspondences = 0;  ///< point-voxel pairs at the returned pose
  std::int64_t dropped_points = 0;   ///< scan points left out (usable_points.hpp)
  double score = 0;                  ///< sum over pairs at the returned pose, regularisation included
  double transform_probability = 0;  ///< score / finite points
  /// Nearest voxel transformation likelihood: mean over points with a voxel of their largest pair score.
  double nvtl = 0;
  Mat6 hessian;               ///< the score's at the returned pose, rows x y z roll pitch yaw
  Pose derivative_pose;       ///< the angles the Hessian is taken at (core/pose.hpp, derivative branch)
  Conditioning conditioning;  ///< how well the scan fixes the pose
  std::optional<PositionCovariance>
      laplace_covariance;            ///< nothing if the Hessian's x-y block is not negative definite
  std::optional<FinishStep> finish;  ///< nothing without one, and where the loop ended before it
  std::vector<TracePoint> trace;     ///< empty unless asked for
};

/// Score and derivatives at one pose.
struct Evaluation {
  double score = 0, transform_probability = 0, nvtl = 0;  ///< as in AlignResult
  std::int64_t correspondences = 0;                       ///< point-voxel pairs
  std::int64_t points_with_voxels = 0;                    ///< points with at least one
  std::int64_t dropped_points = 0;                        ///< scan points left out (usable_points.hpp)
  Vec6 gradient;         ///< of the score: x y z roll pitch yaw [per m, per rad]
  Mat6 hessian;          ///< of the score, in the same order
  Pose derivative_pose;  ///< the angles that both are taken at (core/pose.hpp, derivative branch)
  /// Largest pair score of every finite scan point, 0 without a voxel, if asked for. NVTL is the mean over
  /// points that have a voxel.
  std::vector<float> point_scores;
};

}  // namespace ndt
