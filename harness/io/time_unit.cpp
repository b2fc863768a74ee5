#include "io/time_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

constexpr double kLeastStepS = 1e-3, kMostStepS = 60, kMostS = 1e11;
/// Seconds since 1970 from 1985 to 2128, and the longest step of keyframes.
constexpr double kEpochLeastS = 5e8, kEpochMostS = 5e9, kKeyframesS = 3600;

double median_step(std::span<const double> times) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < times.size(); ++k) steps.push_back(times[k] - times[k - 1]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return *middle;
}

double largest(std::span<const double> times) {
  double most = 0;
  for (const double time : times) most = std::max(most, std::abs(time));
  return most;
}

bool all_whole(std::span<const double> times) {
  return std::ranges::all_of(times, [](double time) { return time == std::floor(time); });
}

bool are_keyframes(std::span<const double> times, double most) {
  const double step = median_step(times);
  return most >= kEpochLeastS && most < kEpochMostS && step > kMostStepS && step <= kKeyframesS &&
         !all_whole(times);
}

}  // namespace

double seconds_in(TimeUnit unit) {
  constexpr double kSeconds[] = {1, 1e-3, 1e-6, 1e-9};
  return kSeconds[static_cast<int>(unit)];
}

std::optional<TimeUnit> unit_of(std::span<const double> times) {
  if (times.empty()) return TimeUnit::s;
  const double most = largest(times);
  if (times.size() > 1 && are_keyframes(times, most)) return TimeUnit::s;
  for (const TimeUnit unit : all_values<TimeUnit>()) {
    const double step_s = times.size() > 1 ? median_step(times) * seconds_in(unit) : kLeastStepS;
    if (step_s >= kLeastStepS && step_s <= kMostStepS && most * seconds_in(unit) < kMostS) return unit;
  }
  return std::nullopt;
}

TimesInSeconds in_seconds(std::vector<double> times, const std::string& what, NoUnit no_unit,
                          std::optional<TimeUnit> given) {
  std::optional<TimeUnit> unit = given ? given : unit_of(times);
  if (!unit && no_unit == NoUnit::keep) unit = TimeUnit::s;
  if (!unit)
    throw refusal(what, "",
                  fmt::format("the median step between its times is {:g}, which is not 1 ms to 60 s in "
                              "seconds, ms, us or ns",
                              median_step(times)),
                  "give times in seconds; or name their unit with --stamp-unit");
  if (*unit == TimeUnit::s) return {std::move(times), ""};
  for (double& time : times) time *= seconds_in(*unit);
  return {times,
          fmt::format("{}: its times are in {} and were multiplied by {:g}{}", what, to_string(*unit),
                      seconds_in(*unit),
                      times.size() > 1 ? fmt::format(" (median step {:g} s)", median_step(times)) : "")};
}

}  // namespace ndt::harness
