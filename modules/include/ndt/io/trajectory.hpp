// Poses in and out: TUM text (time and quaternion), KITTI poses (3x4 matrices without times), one 4x4 matrix;
// times alone.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ndt/align/align_result.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::io {

/// A pose of a time.
struct StampedTransform {
  double time_s = 0;                               ///< [s]
  Transform map_from_body;                         ///< the pose
  std::optional<PositionCovariance> covariance{};  ///< of x and y [m²], of a fix that has one
};

/// The irregularities that a reader noticed and accepted.
struct TrajectoryInfo {
  double worst_norm_error = 0;  ///< TUM: largest | |q| - 1 | of a quaternion as stored; all are normalised
};

/// Reads lines "time x y z qx qy qz qw": seconds, metres, rotation as a quaternion with the scalar last, in
/// file order. Lines that begin with '#' and blank lines are skipped. Times and translations come back as
/// they stand in the text; a quaternion of a length within Limits::kQuaternionNorm of 1 is normalised.
///
/// Throws ndt::InputError naming file, line, value and what to do. Refuses anything but a regular file, no
/// poses, and a file past the Limits (ndt/core/limits.hpp). Refuses a line of other than 8 finite numbers,
/// another length of the quaternion, and times that do not increase.
std::vector<StampedTransform> read_tum(const std::filesystem::path& file, TrajectoryInfo* info = nullptr);

/// Reads positions of a GNSS receiver: lines of 8 numbers as read_tum, or of 11, "... qw var_x cov_xy var_y"
/// with the covariance of x and y in m². All lines have the same count. Throws as read_tum does, and for a
/// covariance that is not positive definite.
std::vector<StampedTransform> read_fixes(const std::filesystem::path& file);

/// Writes what read_tum reads, with the shortest digits that read back to the same bits. Times and
/// translations therefore come back exactly. A rotation comes back to 2e-15 in every entry if it was
/// orthonormal to double precision. A rotation whose entries are off by e comes back as a rotation, within 4
/// e. An existing file is replaced.
///
/// Throws std::invalid_argument for no poses, times that do not increase, and matrices that are not rigid
/// (require_rigid). Throws ndt::InputError if the file cannot be written or could not be read back (too many
/// poses).
void write_tum(const std::filesystem::path& file, std::span<const StampedTransform> poses);

/// Reads lines of 12 numbers, the rows of a 3x4 matrix map_from_body, bit for bit. Line n is frame n, so
/// blank lines and comments are refused. The rotation must be rigid as require_rigid has it: |R Rt - I| <=
/// Limits::kRigid in every entry, determinant +1; it is not made exact.
///
/// Throws ndt::InputError naming file, line, value and what to do. Refuses anything but a regular file, no
/// poses, and a file past the Limits (ndt/core/limits.hpp). Refuses a line of other than 12 finite
/// numbers, and a matrix that is not rigid.
std::vector<Transform> read_kitti_poses(const std::filesystem::path& file);

/// Writes what read_kitti_poses reads, bit for bit; an existing file is replaced. Throws
/// std::invalid_argument for no poses and matrices that are not rigid. Throws ndt::InputError if the file
/// cannot be written or could not be read back (too many poses).
void write_kitti_poses(const std::filesystem::path& file, std::span<const Transform> map_from_body);

/// The first line of a TUM file.
inline constexpr const char* kTumHeading = "# time_s x_m y_m z_m qx qy qz qw";
/// One line of TUM text, without its end, as write_tum() writes it.
std::string tum_line(const StampedTransform& pose);
/// One line of KITTI poses, without its end, as write_kitti_poses() writes it.
std::string kitti_line(const Transform& map_from_body);

/// Reads a file of 16 numbers, a rigid 4x4 matrix row by row, separated by commas and/or blanks. Throws
/// ndt::InputError for anything else.
Transform read_matrix(const std::filesystem::path& file);

/// Reads a number a line: seconds, such as KITTI's times.txt. Throws ndt::InputError as read_tum does.
std::vector<double> read_times(const std::filesystem::path& file);

}  // namespace ndt::io
