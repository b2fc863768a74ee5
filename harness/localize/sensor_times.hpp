// Times of other sensors' measurements, brought to seconds.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "io/time_unit.hpp"

namespace ndt::harness {

/// The time of a pose, a twist or an inertial measurement [s].
template <class Stamped>
auto& time_of(Stamped& measured) {
  if constexpr (requires { measured.time_s; })
    return measured.time_s;
  else
    return measured.stamp_s;
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
