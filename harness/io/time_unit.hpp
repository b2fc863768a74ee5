// The unit of times in a file, told by their steps: people write milli-, micro- and nanoseconds, too.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ndt/core/enum_names.hpp"

namespace ndt::harness {

enum class TimeUnit { s, ms, us, ns };
constexpr auto enum_names(TimeUnit) { return std::array{"s", "ms", "us", "ns"}; }
using ndt::to_string;

/// Seconds in a unit: 1, 1e-3, 1e-6 or 1e-9.
double seconds_in(TimeUnit unit);

/// The longest unit in which the median step is 1e-3 to 60 s and no time is 1e11 s or more; nothing if none
/// fits. Seconds since 1970 with a fraction stay seconds up to steps of an hour, for keyframes far apart. One
/// time alone is told by its size.
std::optional<TimeUnit> unit_of(std::span<const double> times);

/// Times in seconds, and a line that says what was done if they were not.
struct TimesInSeconds {
  std::vector<double> times_s;
  std::string note;
};
/// Times that fit no unit.
enum class NoUnit {
  refuse,  ///< InputError
  keep     ///< they are taken for seconds, as those of a sensor that is faster
};
/// `what` names them in the note and in errors; `given`: their unit, whatever they look like.
TimesInSeconds in_seconds(std::vector<double> times, const std::string& what, NoUnit no_unit,
                          std::optional<TimeUnit> given = {});

}  // namespace ndt::harness
