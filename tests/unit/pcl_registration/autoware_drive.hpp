// A drive through a map in tiles, and what every call of Autoware's interface answered on the way. Two builds
// of autoware_drive.cpp make the answers: one with this library's adapter, one with Autoware's library.
#pragma once

#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

namespace ndt {

using DriveCloud = ::pcl::PointCloud<::pcl::PointXYZ>;
using DrivePoses = std::vector<Eigen::Matrix4f, Eigen::aligned_allocator<Eigen::Matrix4f>>;

/// A scan, and the change of tiles that is made beside its alignment.
struct DriveFrame {
  DriveCloud::Ptr scan;
  Eigen::Matrix4f guess;
  bool pulled = false;  ///< by a regularisation pose at the guess
  std::vector<std::pair<std::string, DriveCloud::Ptr>> come;
  std::vector<std::string> go;
};

struct DriveAnswer {
  Eigen::Matrix4f pose;
  int iterations = 0;
  double probability = 0, nvtl = 0;
  Eigen::Matrix<double, 6, 6> hessian;
  DrivePoses poses;                         ///< on the way
  std::vector<float> probabilities, nvtls;  ///< on the way
  DriveCloud moved;                         ///< the scan at the pose
  DriveCloud at_guess;                      ///< the scan there, and its scores:
  double cloud_probability = 0, cloud_nvtl = 0;
  ::pcl::PointCloud<::pcl::PointXYZI> point_scores;
  Eigen::Matrix2d laplace, multi, multi_score, adjusted;  ///< covariances
  Eigen::Vector2d multi_mean, multi_score_mean;
  std::vector<std::string> ids;  ///< of tiles, after the change
  std::size_t voxels = 0;        ///< of the map that the scan was aligned with
  double update_ms = 0, align_ms = 0, score_ms = 0, points_ms = 0, multi_ms = 0, multi_score_ms = 0;
};

std::vector<DriveAnswer> drive_with_adapter(const std::vector<DriveFrame>& frames);
std::vector<DriveAnswer> drive_with_autoware(const std::vector<DriveFrame>& frames);

}  // namespace ndt
