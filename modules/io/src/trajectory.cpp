#include "ndt/io/trajectory.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/cloud_output.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/text.hpp"
#include "ndt/io/trajectory_steps.hpp"

namespace ndt::io {

void require_room(const TextWords& words, std::uint64_t poses) {
  if (poses == Limits::kPoses)
    throw words.refused(formatted("more than the limit of {} poses", Limits::kPoses),
                        "split the trajectory into smaller files");
}

void require_poses(const ByteSource& source, std::uint64_t poses) {
  if (poses == 0) throw refusal(source.name(), "", "contains no poses", "export the trajectory again");
}

void require_writable(const std::filesystem::path& file, const char* function, std::uint64_t poses) {
  if (poses == 0) throw std::invalid_argument(formatted("{}: no poses to write", function));
  require_readable_count(file, "poses", poses, Limits::kPoses);
}

double finite_number(const TextWords& words, std::uint64_t column) {
  const double number = words.number<double>(column);
  if (!std::isfinite(number))
    throw words.refused(formatted("value {}: '{}' is not finite", column + 1, printable(words.word())));
  return number;
}

namespace {

/// Reads the next line that has words as N finite numbers. False at the end of the file.
template <std::size_t N>
bool read_numbers(TextWords& words, std::array<double, N>& numbers) {
  return words.row(N, [&](std::uint64_t column) { numbers[column] = finite_number(words, column); });
}

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// Normalises a quaternion of nearly unit length and refuses any other.
Eigen::Quaterniond unit_quaternion(const TextWords& words, const std::array<double, 8>& row,
                                   TrajectoryInfo& info) {
  const Eigen::Quaterniond q(row[7], row[4], row[5], row[6]);
  const double error = std::abs(q.coeffs().stableNorm() - 1);
  if (!(error <= Limits::kQuaternionNorm))
    throw words.refused(formatted("quaternion qx qy qz qw has length {}, not 1 within {}",
                                  q.coeffs().stableNorm(), Limits::kQuaternionNorm));
  info.worst_norm_error = std::max(info.worst_norm_error, error);
  return q.normalized();
}

StampedTransform pose_of(const std::array<double, 8>& row, const Eigen::Quaterniond& q) {
  Mat3<double> rotation;
  Eigen::Map<Matrix>(rotation.m) = q.toRotationMatrix();
  return {row[0], make_transform(rotation, {row[1], row[2], row[3]})};
}

/// Returns the quaternion with qw >= 0, of the two that a rotation has.
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
      throw std::invalid_argument(
          formatted("write_tum: time {} of pose {} is not finite", poses[i].time_s, i));
    if (i > 0 && poses[i].time_s <= poses[i - 1].time_s)
      throw std::invalid_argument(formatted("write_tum: time {} of pose {} does not come after {}",
                                            poses[i].time_s, i, poses[i - 1].time_s));
  }
}

constexpr std::size_t kTumColumns = 8, kFixColumns = 11;

void add_pose(const TextWords& words, const std::array<double, kTumColumns>& row, TrajectoryInfo& noticed,
              std::vector<StampedTransform>& poses) {
  require_room(words, poses.size());
  if (!poses.empty() && row[0] <= poses.back().time_s)
    throw words.refused(
        formatted("time {} does not come after {}, the one before", row[0], poses.back().time_s),
        "sort the lines by time and drop repeated ones");
  poses.push_back(pose_of(row, unit_quaternion(words, row, noticed)));
}

/// The numbers of the next line; none at the end of the file.
std::vector<double> next_numbers(TextWords& words) {
  std::vector<double> row;
  words.any_row([&](std::uint64_t column) {
    if (column < kFixColumns)
      row.push_back(finite_number(words, column));
    else
      throw words.wrong_length(column + 1, kFixColumns);
  });
  return row;
}

PositionCovariance covariance_of(const TextWords& words, std::span<const double> row) {
  const PositionCovariance c{row[8], row[9], row[10]};
  if (!(c.xx > 0 && c.yy > 0 && c.xx * c.yy > c.xy * c.xy))
    throw words.refused(
        formatted("the covariance {} {} {} is not positive definite", c.xx, c.xy, c.yy),
        "give var_x cov_xy var_y in square metres, or leave out these three columns in all lines");
  return c;
}

}  // namespace

std::vector<StampedTransform> read_tum(const std::filesystem::path& file, TrajectoryInfo* info) {
  ByteSource source(file);
  TextWords words(source, 0, TextWords::Comments::hash);
  TrajectoryInfo noticed;
  std::vector<StampedTransform> poses;
  for (std::array<double, 8> row; read_numbers(words, row);) add_pose(words, row, noticed, poses);
  require_poses(source, poses.size());
  if (info) *info = noticed;
  return poses;
}

std::vector<StampedTransform> read_fixes(const std::filesystem::path& file) {
  ByteSource source(file);
  TextWords words(source, 0, TextWords::Comments::hash);
  TrajectoryInfo noticed;
  std::vector<StampedTransform> fixes;
  std::size_t columns = 0;
  for (std::vector<double> row; !(row = next_numbers(words)).empty();) {
    if (columns == 0 && row.size() == kFixColumns) columns = kFixColumns;
    if (columns == 0) columns = kTumColumns;
    if (row.size() != columns) throw words.wrong_length(row.size(), columns);
    std::array<double, kTumColumns> pose;
    std::copy_n(row.begin(), kTumColumns, pose.begin());
    add_pose(words, pose, noticed, fixes);
    if (columns == kFixColumns) fixes.back().covariance = covariance_of(words, row);
  }
  require_poses(source, fixes.size());
  return fixes;
}

std::string tum_line(const StampedTransform& pose) {
  const Vec3<double> t = translation_of(pose.map_from_body);
  const Eigen::Quaterniond q = quaternion_of(pose.map_from_body);
  return formatted("{} {} {} {} {} {} {} {}", pose.time_s, t.x, t.y, t.z, q.x(), q.y(), q.z(), q.w());
}

std::string kitti_line(const Transform& map_from_body) {
  std::string line;
  for (const double entry : std::span(map_from_body.m).first<12>())
    line += (line.empty() ? "" : " ") + formatted("{}", entry);
  return line;
}

void write_tum(const std::filesystem::path& file, std::span<const StampedTransform> poses) {
  require_writable(file, "write_tum", poses.size());
  require_order(poses);
  for (const StampedTransform& pose : poses) require_rigid(pose.map_from_body, "write_tum");
  write_file(file, [&](std::ostream& out) {
    out << kTumHeading << '\n';
    for (const StampedTransform& pose : poses) out << tum_line(pose) << '\n';
  });
}

std::vector<Transform> read_kitti_poses(const std::filesystem::path& file) {
  ByteSource source(file);
  TextWords words(source);
  std::vector<Transform> poses;
  for (std::array<double, 12> row; read_numbers(words, row);) {
    if (words.line() != poses.size() + 1)
      throw words.refused("a blank line before it; line n has to be frame n", "remove the blank line");
    require_room(words, poses.size());
    Transform& pose = poses.emplace_back();
    std::ranges::copy(row, pose.m);
    if (const std::string why = rigid_defect(pose); !why.empty())
      throw words.refused("not a rigid transform: " + why);
  }
  require_poses(source, poses.size());
  return poses;
}

void write_kitti_poses(const std::filesystem::path& file, std::span<const Transform> map_from_body) {
  require_writable(file, "write_kitti_poses", map_from_body.size());
  for (const Transform& pose : map_from_body) require_rigid(pose, "write_kitti_poses");
  write_file(file, [&](std::ostream& out) {
    for (const Transform& pose : map_from_body) out << kitti_line(pose) << '\n';
  });
}

Transform read_matrix(const std::filesystem::path& file) {
  constexpr const char* kAdvice = "give a text file of the 16 numbers of a 4x4 matrix, row by row";
  const std::string text = whole_text(file, Limits::kHeaderBytes, kAdvice),
                    name = printable_name(file.native());
  try {
    const std::vector<double> numbers = parse_numbers(text, name);
    Transform transform;
    if (numbers.size() != std::size(transform.m))
      throw refusal(name, "", formatted("{} numbers", numbers.size()), kAdvice);
    std::ranges::copy(numbers, transform.m);
    require_rigid(transform, name.c_str());
    return transform;
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

std::vector<double> read_times(const std::filesystem::path& file) {
  ByteSource source(file);
  TextWords words(source, 0, TextWords::Comments::hash);
  std::vector<double> times_s;
  for (std::array<double, 1> row; read_numbers(words, row);) {
    require_room(words, times_s.size());
    if (!times_s.empty() && row[0] <= times_s.back())
      throw words.refused(formatted("time {} does not come after {}, the one before", row[0], times_s.back()),
                          "give the scans in the order of their times");
    times_s.push_back(row[0]);
  }
  return times_s;
}

}  // namespace ndt::io
