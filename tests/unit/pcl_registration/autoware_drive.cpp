// Calls of Autoware's node, in its order. This text knows no library: it is compiled with the headers of
// both.
#include "autoware_drive.hpp"

#ifdef NDT_DRIVE_WITH_AUTOWARE
#include <autoware/ndt_scan_matcher/ndt_omp/estimate_covariance.hpp>
#define NDT_DRIVE drive_with_autoware
#else
#include "ndt/pcl/autoware_covariance.hpp"
#define NDT_DRIVE drive_with_adapter
#endif

#include <pcl/common/transforms.h>

#include <chrono>
#include <future>
#include <memory>

namespace ndt {
namespace {

using Ndt = pclomp::MultiGridNormalDistributionsTransform<::pcl::PointXYZ, ::pcl::PointXYZ>;

pclomp::NdtParams params() {
  pclomp::NdtParams out;
  out.trans_epsilon = 0.01, out.step_size = 0.1, out.resolution = 2.0F, out.max_iterations = 30;
  out.search_method = pclomp::KDTREE, out.num_threads = 1, out.regularization_scale_factor = 0.01F;
  return out;
}

template <class Call>
double ms_of(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double update(Ndt& ndt, const DriveFrame& frame) {
  return ms_of([&] {
    for (const auto& [id, cloud] : frame.come) ndt.addTarget(cloud, id);
    for (const std::string& id : frame.go) ndt.removeTarget(id);
    ndt.createVoxelKdtree();
  });
}

void align(Ndt& ndt, const DriveFrame& frame, DriveAnswer& answer) {
  ndt.unsetRegularizationPose();
  if (frame.pulled) ndt.setRegularizationPose(frame.guess);
  answer.align_ms = ms_of([&] { ndt.align(answer.moved, frame.guess, frame.scan); });
  const pclomp::NdtResult result = ndt.getResult();
  answer.pose = result.pose;
  answer.iterations = result.iteration_num;
  answer.probability = static_cast<double>(result.transform_probability);
  answer.nvtl = static_cast<double>(result.nearest_voxel_transformation_likelihood);
  answer.hessian = result.hessian;
  answer.poses = result.transformation_array;
  answer.probabilities = result.transform_probability_array;
  answer.nvtls = result.nearest_voxel_transformation_likelihood_array;
  answer.voxels = ndt.getVoxelPCD().size();
}

/// At the guess, because there both libraries score the same points.
void score(const Ndt& ndt, const DriveFrame& frame, DriveAnswer& answer) {
  ::pcl::transformPointCloud(*frame.scan, answer.at_guess, frame.guess);
  answer.score_ms = ms_of([&] {
    answer.cloud_probability = ndt.calculateTransformationProbability(answer.at_guess);
    answer.cloud_nvtl = ndt.calculateNearestVoxelTransformationLikelihood(answer.at_guess);
  });
  answer.points_ms =
      ms_of([&] { answer.point_scores = ndt.calculateNearestVoxelScoreEachPoint(answer.at_guess); });
}

void estimate(Ndt& ndt, const DriveFrame& frame, DriveAnswer& answer) {
  const pclomp::NdtResult result = ndt.getResult();
  answer.laplace = pclomp::estimate_xy_covariance_by_laplace_approximation(result.hessian);
  const auto beside = pclomp::propose_poses_to_search(result, {0.0, 0.0, 0.5, -0.5, 1.0, -1.0},
                                                      {0.5, -0.5, 0.0, 0.0, 0.0, 0.0});
  answer.multi_ms = ms_of([&] {
    const auto found = estimate_xy_covariance_by_multi_ndt(result, ndt, beside, frame.scan);
    answer.multi = found.covariance, answer.multi_mean = found.mean;
  });
  answer.multi_score_ms = ms_of([&] {
    const auto found = estimate_xy_covariance_by_multi_ndt_score(result, ndt, beside, frame.scan, 0.05);
    answer.multi_score = found.covariance, answer.multi_score_mean = found.mean;
  });
  answer.adjusted = pclomp::adjust_diagonal_covariance(answer.multi, result.pose, 0.0225, 0.0225);
}

}  // namespace

std::vector<DriveAnswer> NDT_DRIVE(const std::vector<DriveFrame>& frames) {
  std::vector<DriveAnswer> answers;
  auto main = std::make_shared<Ndt>();
  main->setParams(params());
  Ndt second;
  for (const DriveFrame& frame : frames) {
    DriveAnswer& answer = answers.emplace_back();
    if (answers.size() == 1) {
      answer.update_ms = update(*main, frame);
      second = *main;
    }
    // The node's way: its second map changes beside the alignment, and a copy takes the first one's place.
    std::future<double> changed;
    if (answers.size() > 1 && !(frame.come.empty() && frame.go.empty()))
      changed = std::async(std::launch::async, [&] { return update(second, frame); });
    align(*main, frame, answer);
    score(*main, frame, answer);
    estimate(*main, frame, answer);
    if (changed.valid()) {
      answer.update_ms = changed.get();
      main = std::make_shared<Ndt>(second);
    }
    answer.ids = main->getCurrentMapIDs();
  }
  return answers;
}

}  // namespace ndt
