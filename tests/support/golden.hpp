// Golden results of the reference NDT: the courtyard's travel with the project, the real clouds' are found
// through NDT_GOLDEN_DIR. Clouds are read once per process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ndt/align/aligner.hpp"

namespace ndt::golden {

struct Case {
  std::string name;  ///< map (and guess) as a failure message should call it
  const PointCloud* map = nullptr;
  const PointCloud* scan = nullptr;
  AlignOptions options;
  PerScan per_scan;
  bool far_origin = false;  ///< map 80 km or more away: float32 steps of 7.8 mm
};

struct Run : Case {
  Transform guess, pose;
  int iterations = 0;
  double score = 0, transform_probability = 0, nvtl = 0;
  std::int64_t voxels = 0;
  std::optional<int> oscillation_count;
  Mat6 hessian;
};

struct EvaluationCase : Case {
  Transform pose;
  Pose derivative_pose;
  double score = 0, transform_probability = 0, nvtl = 0;
  std::int64_t pairs = 0, points_with_voxels = 0;
  Vec6 gradient;
  Mat6 hessian;
};

struct CovarianceCase : Case {
  Transform guess, pose;
  PositionCovariance laplace, floored;
  PositionCovariance multi_ndt, multi_ndt_floored, multi_ndt_score, multi_ndt_score_floored;
  double nvtl = 0;  ///< of the pose
};

struct TraceCase : Case {
  Transform guess;
  std::vector<Transform> poses;
  std::vector<double> transform_probability, nvtl;
};

/// Courtyard only, or with all real clouds when NDT_GOLDEN_DIR is set.
const std::vector<Run>& runs();
const std::vector<EvaluationCase>& evaluations();
const std::vector<TraceCase>& traces();
const std::vector<CovarianceCase>& covariances();
/// Voxel table of a CSV beside the golden files.
std::vector<VoxelInfo> voxel_table(const std::string& file);

/// Path of a golden file: the project's own folder first, then NDT_GOLDEN_DIR; empty if in neither.
std::string find_file(const std::string& name);
/// Why real clouds are missing, or empty.
std::string missing_reason();

}  // namespace ndt::golden
