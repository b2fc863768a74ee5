// Written for PCL: finds a scan in a map, both of them a floor and two walls.
#include <pcl/point_types.h>
#include <pcl/registration/ndt.h>

#include <cstdio>

using Point = pcl::PointXYZ;
using Cloud = pcl::PointCloud<Point>;

static Cloud::Ptr corner(float spacing) {
  Cloud::Ptr cloud(new Cloud);
  for (float a = 0; a < 20; a += spacing)
    for (float b = 0; b < 20; b += spacing) {
      cloud->push_back({a, b, 0});
      if (b < 6) cloud->push_back({a, 0, b});
      if (b < 6) cloud->push_back({0, a, b});
    }
  return cloud;
}

int main() {
  pcl::NormalDistributionsTransform<Point, Point> ndt;
  ndt.setTransformationEpsilon(1e-4);
  ndt.setStepSize(0.1);
  ndt.setResolution(2.0);
  ndt.setMaximumIterations(50);
  ndt.setInputTarget(corner(0.25F));
  ndt.setInputSource(corner(0.7F));
  Eigen::Matrix4f guess = Eigen::Matrix4f::Identity();
  guess(0, 3) = 0.2F, guess(1, 3) = -0.1F;
  Cloud output;
  ndt.align(output, guess);
  const Eigen::Matrix4f pose = ndt.getFinalTransformation();
  std::printf("%d %d %.3f %.3f %.3f\n", ndt.hasConverged(), ndt.getFinalNumIteration(), pose(0, 3), pose(1, 3), pose(2, 3));
}
