// One alignment of the reference: Newton steps on the sums of score.hpp until a step is short.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/core/finite_points.hpp"
#include "score.hpp"

namespace ndt::cpu_pclomp_ref {

/// The data that every evaluation of one scan needs.
struct ScanProblem {
  const VoxelGrid& grid;
  const GaussConstants& constants;
  const AlignOptions& options;
  int threads;
  FinitePoints scan;
  PerScan per_scan;

  /// Sums with regularisation, points moved by the matrix, derivatives at the pose.
  Sums sums_at(const Eigen::Matrix4f& matrix, const Pose& pose) const;
};

class Registration {
 public:
  explicit Registration(const ScanProblem& problem) : problem_(problem) {}
  AlignResult run(const Transform& guess);

 private:
  /// A pose and its sums.
  struct Here {
    Eigen::Matrix4f matrix;
    Pose pose;
    Sums sums;
    bool finite() const { return sums.gradient.allFinite() && sums.hessian.allFinite(); }
  };

  Here evaluate(const Eigen::Matrix4f& matrix, const Pose& pose);
  void record(const Here& here, double step);
  std::optional<Vector6d> newton_direction(const Sums& sums);
  /// Moves `here` by one step, or returns the stop if none can be taken.
  std::optional<Stop> iterate(Here& here);
  /// Searches along the unit direction; nothing if no step raises the score.
  std::optional<Here> search(const Here& from, const Vector6d& direction, double slope, double newton_length,
                             double& step);

  const ScanProblem& problem_;
  AlignResult result_;
  std::vector<Eigen::Vector3d> positions_;
  double last_step_ = 0;
};

}  // namespace ndt::cpu_pclomp_ref
