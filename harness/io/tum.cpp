#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>

#include "io/cloud_output.hpp"
#include "io/trajectory.hpp"
#include "io/trajectory_rows.hpp"

namespace ndt::harness {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// Refuses what is no unit quaternion, normalises what nearly is one.
Eigen::Quaterniond unit_quaternion(const TextWords& words, const std::array<double, 8>& row, TrajectoryInfo& info) {
  const Eigen::Quaterniond q(row[7], row[4], row[5], row[6]);
  const double error = std::abs(q.coeffs().stableNorm() - 1);
  if (!(error <= Limits::kQuaternionNorm))
    throw words.refused(fmt::format("quaternion qx qy qz qw has length {}, not 1 within {}", q.coeffs().stableNorm(),
                                    Limits::kQuaternionNorm));
  info.worst_norm_error = std::max(info.worst_norm_error, error);
  return q.normalized();
}

StampedTransform pose_of(const std::array<double, 8>& row, const Eigen::Quaterniond& q) {
  Mat3<double> rotation;
  Eigen::Map<Matrix>(rotation.m) = q.toRotationMatrix();
  return {row[0], make_transform(rotation, {row[1], row[2], row[3]})};
}

/// Of the two quaternions of a rotation the one with qw >= 0.
Eigen::Quaterniond quaternion_of(const Transform& t) {
  const Mat3<double> rotation = rotation_of(t);
  Eigen::Quaterniond q(Matrix(Eigen::Map<const Matrix>(rotation.m)));
  q.normalize();
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  return q;
}

void require_order(std::span<const StampedTransform> poses) {
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!std::isfinite(poses[i].time_s))
      throw std::invalid_argument(fmt::format("write_tum: time {} of pose {} is not finite", poses[i].time_s, i));
    if (i > 0 && poses[i].time_s <= poses[i - 1].time_s)
      throw std::invalid_argument(
          fmt::format("write_tum: time {} of pose {} does not come after {}", poses[i].time_s, i, poses[i - 1].time_s));
  }
}

}  // namespace

std::vector<StampedTransform> read_tum(const std::filesystem::path& file, TrajectoryInfo* info) {
  ByteSource source(file);
  TextWords words(source, 0, TextWords::Comments::hash);
  TrajectoryInfo noticed;
  std::vector<StampedTransform> poses;
  for (std::array<double, 8> row; read_numbers(words, row);) {
    require_room(words, poses.size());
    if (!poses.empty() && row[0] <= poses.back().time_s)
      throw words.refused(fmt::format("time {} does not come after {}, the one before", row[0], poses.back().time_s),
                          "sort the lines by time and drop repeated ones");
    poses.push_back(pose_of(row, unit_quaternion(words, row, noticed)));
  }
  require_poses(source, poses.size());
  if (info) *info = noticed;
  return poses;
}

void write_tum(const std::filesystem::path& file, std::span<const StampedTransform> poses) {
  require_writable(file, "write_tum", poses.size());
  require_order(poses);
  for (const StampedTransform& pose : poses) require_rigid(pose.map_from_body, "write_tum");
  write_file(file, [&](std::ostream& out) {
    out << "# time_s x_m y_m z_m qx qy qz qw\n";
    for (const auto& [time_s, pose] : poses) {
      const Vec3<double> t = translation_of(pose);
      const Eigen::Quaterniond q = quaternion_of(pose);
      out << fmt::format("{} {} {} {} {} {} {} {}\n", time_s, t.x, t.y, t.z, q.x(), q.y(), q.z(), q.w());
    }
  });
}

}  // namespace ndt::harness
