// The implementation is PCL itself: the library called as its users call it gives the same bits.
#include <gtest/gtest.h>
#include <pcl/registration/ndt.h>

#include <cmath>

#include "ndt/pcl_ndt/implementations.hpp"
#include "test_clouds.hpp"

namespace ndt {
namespace {

pcl::PointCloud<pcl::PointXYZ>::Ptr to_pcl(const PointCloud& cloud) {
  pcl::PointCloud<pcl::PointXYZ>::Ptr out(new pcl::PointCloud<pcl::PointXYZ>);
  for (const Point& p : cloud.points) out->push_back({p.x, p.y, p.z});
  return out;
}

TEST(PclNdt, GivesTheBitsOfPclCalledByHand) {
  AlignOptions options;
  pcl::NormalDistributionsTransform<pcl::PointXYZ, pcl::PointXYZ> plain;
  plain.setResolution(2.0F);
  plain.setStepSize(options.step_m);
  plain.setOulierRatio(options.outlier_ratio);
  plain.setMaximumIterations(options.max_iterations);
  plain.setTransformationEpsilon(options.epsilon_m * options.epsilon_m);
  plain.setTransformationRotationEpsilon(std::cos(options.epsilon_m));
  plain.setInputTarget(to_pcl(test_clouds::map()));
  plain.setInputSource(to_pcl(test_clouds::scan()));
  const auto aligner = make_aligner(pcl_ndt::implementations(), "pcl_ndt", options);
  aligner->set_map(test_clouds::map());
  for (const Pose& offset : test_clouds::offsets(4, 0.3, 0.04)) {
    const Transform guess = to_transform(offset);
    Eigen::Matrix4f start;
    for (int i = 0; i < 16; ++i) start(i / 4, i % 4) = static_cast<float>(guess.m[i]);
    pcl::PointCloud<pcl::PointXYZ> moved;
    plain.align(moved, start);
    const AlignResult got = aligner->align(test_clouds::scan(), guess);
    EXPECT_EQ(got.iterations, plain.getFinalNumIteration());
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(got.map_from_scan.m[i], static_cast<double>(plain.getFinalTransformation()(i / 4, i % 4)))
          << i;
    EXPECT_NEAR(got.transform_probability, plain.getTransformationLikelihood(), 1e-6);
  }
}

}  // namespace
}  // namespace ndt
