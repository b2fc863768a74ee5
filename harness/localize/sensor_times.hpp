// Times of other sensors' measurements, brought to seconds.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/io_names.hpp"
#include "io/time_unit.hpp"
#include "ndt/io/trajectory.hpp"
#include "ndt/localization/stamped_pose.hpp"

namespace ndt::harness {

inline double& time_of(StampedTransform& pose) { return pose.time_s; }
inline double& time_of(localization::StampedImu& imu) { return imu.stamp_s; }
inline double& time_of(localization::StampedTwist& twist) { return twist.stamp_s; }
template <class Stamped>
double time_of(const Stamped& stamped) {
  return time_of(const_cast<Stamped&>(stamped));
}

/// Makes seconds of the times, which are not empty. Returns a line that says so if they were not.
template <class Stamped>
std::string to_seconds(std::vector<Stamped>& measurements, const std::string& what) {
  std::vector<double> times;
  for (const Stamped& one : measurements) times.push_back(time_of(one));
  TimesInSeconds seconds = in_seconds(std::move(times), what, NoUnit::keep);
  for (std::size_t k = 0; k < measurements.size() && !seconds.note.empty(); ++k)
    time_of(measurements[k]) = seconds.times_s[k];
  return seconds.note;
}

}  // namespace ndt::harness
