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

/// The longest unit in which the median step is 1e-3 to 60 s and no time is 1e11 s or more. Fractions of
/// numbers are seconds unless their size says otherwise, so keyframes may be minutes apart. Nothing if no
/// unit fits. One time alone is told by its size.
std::optional<TimeUnit> unit_of(std::span<const double> times);

/// Times in seconds, and a line that says what was done if they were not.
struct TimesInSeconds {
  std::vector<double> times_s;
  std::string note;
};
/// `what` names them in the note and in errors. Throws InputError if no unit fits and none is given.
TimesInSeconds in_seconds(std::vector<double> times, const std::string& what,
                          std::optional<TimeUnit> given = {});

}  // namespace ndt::harness
