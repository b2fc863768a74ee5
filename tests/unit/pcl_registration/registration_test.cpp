// PCL's interface on this library: its setters reach the options, and its answers are an aligner's, bit for
// bit.
#include "ndt/pcl/registration.hpp"

#include <gtest/gtest.h>
#include <pcl/point_types.h>

#include <stdexcept>

#include "ndt/core/error.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

using Cloud = ::pcl::PointCloud<::pcl::PointXYZ>;
using Registration = NormalDistributionsTransform<::pcl::PointXYZ, ::pcl::PointXYZ>;

Cloud::Ptr to_pcl(const PointCloud& cloud) {
  Cloud::Ptr out(new Cloud);
  for (const Point& p : cloud.points) out->push_back({p.x, p.y, p.z});
  return out;
}

Eigen::Matrix4f guess() {
  Eigen::Matrix4f out = Eigen::Matrix4f::Identity();
  out(0, 3) = 0.3F, out(1, 3) = -0.2F;
  return out;
}

Transform to_ours(const Eigen::Matrix4f& matrix) {
  Transform out;
  for (int row = 0; row < 4; ++row)
    for (int col = 0; col < 4; ++col) out(row, col) = static_cast<double>(matrix(row, col));
  return out;
}

void give_clouds(Registration& registration) {
  registration.setInputTarget(to_pcl(test_clouds::map()));
  registration.setInputSource(to_pcl(test_clouds::scan()));
}

AlignResult expected(const AlignOptions& options, const PerScan& per_scan = {}) {
  const auto aligner = make_aligner("persistent_cpu", options);
  aligner->set_map(test_clouds::map());
  return aligner->align(test_clouds::scan(), to_ours(guess()), per_scan);
}

void expect_answer(const Registration& got, const AlignResult& want) {
  EXPECT_EQ(got.getNearestVoxelTransformationLikelihood(), want.nvtl);
  EXPECT_EQ(got.getTransformationProbability(), want.transform_probability);
  EXPECT_EQ(got.getTransformationLikelihood(), want.transform_probability);
  EXPECT_EQ(got.getFinalNumIteration(), want.iterations);
  EXPECT_EQ(got.getHessian()(1, 4), want.hessian(1, 4));
}

TEST(PclRegistration, GivesTheBitsOfAnAlignerWithPclsDefaults) {
  Registration registration("persistent_cpu");
  give_clouds(registration);
  Cloud output;
  registration.align(output, guess());

  AlignOptions options;
  options.resolution_m = 1, options.epsilon_m = 0.1, options.max_iterations = 35;
  const AlignResult want = expected(options);
  expect_answer(registration, want);
  const Eigen::Matrix4f pose = registration.getFinalTransformation();
  EXPECT_EQ(pose(0, 3), static_cast<float>(want.map_from_scan(0, 3)));
  EXPECT_EQ(registration.hasConverged(), want.stop == Stop::converged);
  ASSERT_EQ(output.size(), test_clouds::scan().size());
  const Point& p = test_clouds::scan().points[7];
  const Eigen::Vector4f moved = pose * Eigen::Vector4f(p.x, p.y, p.z, 1);
  EXPECT_NEAR(output[7].x, moved.x(), 1e-4);
}

TEST(PclRegistration, TakesEverySetterOfPclomp) {
  Registration registration("persistent_cpu");
  give_clouds(registration);
  Cloud output;
  registration.align(output, guess());  // and again with other options
  registration.setResolution(2.0F);
  registration.setNumThreads(2);
  registration.setTransformationEpsilon(0.001);
  registration.setStepSize(0.2);
  registration.setMaximumIterations(3);
  registration.setOulierRatio(0.4);
  registration.setNeighborhoodSearchMethod(pclomp::DIRECT7);
  registration.setRegularizationScaleFactor(0.5F);
  Eigen::Matrix4f gnss = Eigen::Matrix4f::Identity();
  gnss(0, 3) = 2;
  registration.setRegularizationPose(gnss);
  registration.align(output, guess());

  AlignOptions options;
  options.resolution_m = 2, options.threads = 2, options.epsilon_m = 0.001, options.step_m = 0.2;
  options.max_iterations = 3, options.outlier_ratio = 0.4, options.neighbours = Neighbours::direct7;
  options.regularisation_scale = 0.5;
  PerScan per_scan;
  per_scan.regularisation = RegularisationTarget{2, 0};
  expect_answer(registration, expected(options, per_scan));
  EXPECT_FALSE(registration.hasConverged()) << "the limit of three iterations came first";
  registration.unsetRegularizationPose();
  registration.align(output, guess());
  expect_answer(registration, expected(options));
}

TEST(PclRegistration, JudgesItsLastAlignmentOnRequest) {
  Registration registration("persistent_cpu");
  EXPECT_THROW(registration.judge(), std::logic_error) << "no target";
  give_clouds(registration);
  registration.setResolution(2.0F);
  EXPECT_THROW(registration.judge(), std::logic_error) << "nothing aligned";
  Cloud output;
  registration.align(output, guess());
  const initial_pose::PoseJudgement judgement = registration.judge();
  EXPECT_EQ(to_text(judgement), "ok");
  EXPECT_TRUE(judgement.covariance);
  Eigen::Matrix4f elsewhere = guess();
  elsewhere(0, 3) = 500;
  registration.align(output, elsewhere);
  EXPECT_EQ(to_text(registration.judge()), "doubtful: it ended as no_overlap");
  registration.setResolution(1.5F);
  EXPECT_THROW(registration.judge(), std::logic_error) << "not aligned with this voxel edge";
}

TEST(PclRegistration, AlignsThePointsOfTheIndicesAlone) {
  Registration registration("persistent_cpu");
  give_clouds(registration);
  const ::pcl::IndicesPtr first(new ::pcl::Indices{0, 1, 2, 3, 4});
  registration.setIndices(first);
  Cloud output;
  registration.align(output, guess());
  EXPECT_EQ(output.size(), 5U);
  EXPECT_LE(registration.getResult().correspondences, 5 * 27);
}

TEST(PclRegistration, ScoresCloudsThatAreInTheMapsFrame) {
  Registration registration("persistent_cpu");
  give_clouds(registration);
  const Cloud scan = *to_pcl(test_clouds::scan());
  const double good = registration.calculateNearestVoxelTransformationLikelihood(scan);
  Cloud moved;
  ::pcl::transformPointCloud(scan, moved, guess());
  EXPECT_GT(good, registration.calculateNearestVoxelTransformationLikelihood(moved));
  EXPECT_GT(registration.calculateTransformationProbability(scan),
            registration.calculateTransformationProbability(moved));
}

TEST(PclRegistration, MayBeCopiedAndGivenAnotherTarget) {
  Registration one("persistent_cpu");
  give_clouds(one);
  Cloud output;
  one.align(output, guess());
  Registration two = one;
  two.align(output, guess());
  EXPECT_EQ(one.getFinalTransformation(), two.getFinalTransformation());

  Cloud::Ptr shifted = to_pcl(test_clouds::map());
  for (auto& point : *shifted) point.x += 1;
  two.setInputTarget(shifted);
  two.align(output, guess());
  EXPECT_NEAR(two.getFinalTransformation()(0, 3) - one.getFinalTransformation()(0, 3), 1, 0.05);
}

TEST(PclRegistration, SaysWhatItCannotUse) {
  Cloud output;
  Registration unknown("ndt");
  give_clouds(unknown);
  EXPECT_THROW(unknown.align(output), std::invalid_argument);

  Registration sparse("persistent_cpu");
  sparse.setInputTarget(Cloud::Ptr(new Cloud(3, 1, {0, 0, 0})));
  sparse.setInputSource(to_pcl(test_clouds::scan()));
  EXPECT_THROW(sparse.align(output), InputError);

  Registration coarse("persistent_cpu");
  coarse.setResolution(-1);
  give_clouds(coarse);
  EXPECT_THROW(coarse.align(output), std::invalid_argument);
}

}  // namespace
}  // namespace ndt
