// The twin of the shared core's pyramid, in plain float64: one alignment from the coarsest voxel map to the
// finest, by Newton steps in a trust region whose radius and end come from each map's voxel edge. The
// reference has nothing like it.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/core/finite_points.hpp"
#include "score.hpp"

namespace ndt::cpu_pclomp_ref {

/// One of the maps of a cloud.
struct Level {
  double edge_m;
  VoxelGrid grid;
  GaussConstants constants;

  Level(const std::vector<Point>& points, const AlignOptions& options, double edge_m);
};

/// The options of a level's map.
AlignOptions at_edge(AlignOptions options, double edge_m);

/// The data that every evaluation of one scan needs.
struct PyramidProblem {
  std::span<const std::unique_ptr<const Level>> levels;  ///< coarse to fine, at least one
  const AlignOptions& options;
  int threads;
  FinitePoints scan;
  PerScan per_scan;
  const Windows* windows = nullptr;  ///< of the finish; null without one

  int last_level() const { return static_cast<int>(levels.size()) - 1; }
  std::size_t points_used(int level) const;
  /// Sums with regularisation, at this share of the negative curvature.
  Sums sums_at(int level, const Pose& pose, double negative_curvature) const;
  /// Sums the same in the windows of the finish.
  Sums finish_sums_at(const Pose& pose) const;
};

/// Counts one iteration for every evaluation that follows a step: of a step that is kept, of one that is
/// taken back, of the first pose of a finer level, and of a finish. AlignResult::evaluations also has the
/// guess, and the true Hessian at the end if the loop ended with another. A trace has one line for every
/// iteration; that of a step taken back repeats the pose before.
class PyramidRegistration {
 public:
  explicit PyramidRegistration(const PyramidProblem& problem);
  AlignResult run(const Transform& guess);

 private:
  static constexpr double kNoStep = std::numeric_limits<double>::infinity();

  /// A pose and its sums.
  struct Here {
    int level;
    double negative_curvature;
    Pose pose;
    Sums sums;
    bool finite() const;
  };
  struct Step {
    Vector6d move;  ///< x y z roll pitch yaw
    double length_m, predicted_gain;
  };

  Here evaluate(int level, const Pose& pose, double negative_curvature);
  /// The coarsest level whose surfaces fix the pose: along a tunnel the score of the others would follow
  /// their own voxel grids. The last if there is none.
  int first_level(const Pose& pose) const;
  /// Damped where the curvature is negative, cut at the radius; nothing if no damping helps.
  std::optional<Step> solve(const Sums& sums, double radius_m);
  /// Takes one step or enters the next level, or returns the stop if neither can be done.
  std::optional<Stop> iterate();
  std::optional<Stop> try_step(const Step& step);
  void keep(const Step& step, const Here& trial);
  void take_back(const Step& step);
  void enter_next_level(const Pose& pose, double step_m);
  /// Takes one step from a pose in the windows, and ends on the last level at the pose that it leads to.
  /// step_m: length of the step to that pose.
  Stop finish(const Pose& pose, double step_m);
  /// Ends with the last level's own sums at the true Hessian.
  void conclude(Stop stop, const Transform& guess);

  double curvature_after(double length_m, bool slow) const;
  double radius_of(int level) const;
  double end_of(int level) const;
  bool slow(const Step& step) const;
  void record(double step_m);

  const PyramidProblem& problem_;
  AlignResult result_;
  std::vector<Eigen::Vector3d> positions_;
  double mean_range_m_;
  Vector6d metric_;  ///< 1 or the scan's mean range: lengths are metres that points move
  Here first_{}, here_{};
  double radius_m_ = 0;
  double step_before_m_ = kNoStep;  ///< kept on this level
  double last_step_m_ = kNoStep;    ///< kept on any level
  bool level_ended_ = false;
  bool from_afar_ = false;  ///< a coarse step was long: from then on coarse levels end at shorter steps
};

}  // namespace ndt::cpu_pclomp_ref
