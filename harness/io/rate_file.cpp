#include "io/rate_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"
#include "base/io_names.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_output.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/text.hpp"
#include "ndt/io/trajectory_steps.hpp"

namespace ndt::harness {
namespace {

using localization::StampedImu;
using localization::StampedTwist;

constexpr double kGravity = 9.80665;
constexpr double kNear = 0.5;  ///< how far the median may be from gravity, in units of it

/// A time, and two vectors.
struct Row {
  double time_s = 0;
  Vec3<double> first, second;
};

std::vector<Row> read_rows(const std::filesystem::path& file, const char* form) {
  ByteSource source(file);
  TextWords words(source, 0, TextWords::Comments::hash_and_commas);
  std::vector<Row> rows;
  std::array<double, 7> n{};
  while (words.row(n.size(), [&](std::uint64_t column) { n[column] = finite_number(words, column); })) {
    if (rows.size() == Limits::kPoses)
      throw words.refused(fmt::format("more than the limit of {} lines", Limits::kPoses),
                          "split the file into smaller ones");
    if (!rows.empty() && n[0] <= rows.back().time_s)
      throw words.refused(
          fmt::format("time {} does not come after {}, the one before", n[0], rows.back().time_s),
          "sort the lines by time and drop repeated ones");
    rows.push_back({n[0], {n[1], n[2], n[3]}, {n[4], n[5], n[6]}});
  }
  if (rows.empty())
    throw refusal(source.name(), "", "contains no measurements", fmt::format("give lines of {}", form));
  return rows;
}

double median_length(const std::vector<Row>& rows) {
  std::vector<double> lengths;
  for (const Row& row : rows) lengths.push_back(std::sqrt(dot(row.second, row.second)));
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

std::vector<StampedTwist> read_twists(const std::filesystem::path& file) {
  std::vector<StampedTwist> twists;
  for (const Row& row : read_rows(file, kTwistForm)) twists.push_back({row.time_s, {row.first, row.second}});
  return twists;
}

ImuFile read_imu(const std::filesystem::path& file) {
  const std::vector<Row> rows = read_rows(file, kImuForm);
  const double median = median_length(rows);
  const auto near = [&](double unit) { return std::abs(median / unit - 1) <= kNear; };
  const std::string name = printable_name(file.native());
  if (!near(1) && !near(kGravity))
    throw refusal(
        name, "",
        fmt::format("the median acceleration is {:g}, expected 9.8 m/s2 or 1, gravity included", median),
        "give the raw acceleration, from which gravity is not removed");
  const double unit = near(1) ? kGravity : 1;
  ImuFile imu;
  for (const Row& row : rows) imu.samples.push_back({row.time_s, row.first, unit * row.second});
  if (near(1))
    imu.note = fmt::format("{}: accelerations have a median of {:.3g}; they are taken for units of gravity",
                           name, median);
  return imu;
}

void write_twists(const std::filesystem::path& file, std::span<const StampedTwist> twists) {
  write_file(file, [&](std::ostream& out) {
    out << "# " << kTwistForm << '\n';
    for (const auto& [time_s, twist] : twists)
      out << fmt::format("{},{},{},{},{},{},{}\n", time_s, twist.linear.x, twist.linear.y, twist.linear.z,
                         twist.angular.x, twist.angular.y, twist.angular.z);
  });
}

void write_imu(const std::filesystem::path& file, std::span<const StampedImu> samples) {
  write_file(file, [&](std::ostream& out) {
    out << "# " << kImuForm << '\n';
    for (const auto& [time_s, w, a] : samples)
      out << fmt::format("{},{},{},{},{},{},{}\n", time_s, w.x, w.y, w.z, a.x, a.y, a.z);
  });
}

}  // namespace ndt::harness
