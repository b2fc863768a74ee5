#include "cli/localize/other_sensors.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::harness {
namespace {

constexpr const char* kNone = "none";

/// Poses in seconds. The sensor is asked for poses at the times of the scans.
std::vector<StampedTransform> in_time_of(const ScanSequence& sequence, const std::string& file,
                                         std::vector<StampedTransform> poses) {
  std::vector<double> times;
  for (const StampedTransform& pose : poses) times.push_back(pose.time_s);
  const TimesInSeconds seconds = in_seconds(std::move(times), printable_name(file), NoUnit::keep);
  if (!seconds.note.empty()) notice("ndt-bench: {}\n", seconds.note);
  for (std::size_t k = 0; k < poses.size(); ++k) poses[k].time_s = seconds.times_s[k];
  const double first_s = sequence.scans.front().stamp_s, last_s = sequence.scans.back().stamp_s;
  if (poses.back().time_s < first_s || poses.front().time_s > last_s)
    throw refusal(printable_name(file), "",
                  fmt::format("its times, {} to {} s, do not overlap those of the scans, {} to {} s",
                              poses.front().time_s, poses.back().time_s, first_s, last_s),
                  "give both on one clock; --stamps sets the times of the scans");
  return poses;
}

}  // namespace

std::vector<StampedTransform> odometry_for(const ScanSequence& sequence, const std::string& file) {
  return file.empty() ? sequence.odometry : in_time_of(sequence, file, read_tum(file));
}

std::vector<StampedTransform> gnss_for(const ScanSequence& sequence, const std::string& file,
                                       const Implementation& entry) {
  if (file == kNone || (file.empty() && sequence.gnss.empty())) return {};
  if (entry.regularises) return file.empty() ? sequence.gnss : in_time_of(sequence, file, read_fixes(file));
  if (!file.empty())
    throw UsageError(
        fmt::format("--gnss: {} has no regularisation; drop it, or take another implementation", entry.name));
  notice("ndt-bench: {} has no regularisation: the GNSS of {} is not used\n", entry.name, sequence.name);
  return {};
}

}  // namespace ndt::harness
