#include "run/repeatability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

/// Also tells -0 from 0, and takes a NaN for equal to itself.
template <class T>
bool equal_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

bool equal_counts(const AlignResult& a, const AlignResult& b) {
  return a.stop == b.stop && a.iterations == b.iterations && a.evaluations == b.evaluations &&
         a.oscillation_count == b.oscillation_count && a.newton_fallbacks == b.newton_fallbacks &&
         a.correspondences == b.correspondences && a.dropped_points == b.dropped_points;
}

bool equal_finishes(const std::optional<FinishStep>& a, const std::optional<FinishStep>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return equal_bytes(a->step_m, b->step_m) && equal_bytes(a->score, b->score);
}

bool is_held(const TrafficCount& count) { return count.value == &Traffic::peak_device_bytes; }
bool may_differ(const TrafficCount& count) { return is_held(count) || count.value == &Traffic::allocations; }

}  // namespace

bool same_bits(const AlignResult& a, const AlignResult& b) {
  return equal_counts(a, b) && equal_finishes(a.finish, b.finish) &&
         equal_bytes(a.map_from_scan.m, b.map_from_scan.m) && equal_bytes(a.hessian.m, b.hessian.m) &&
         equal_bytes(a.score, b.score) && equal_bytes(a.transform_probability, b.transform_probability) &&
         equal_bytes(a.nvtl, b.nvtl) &&
         equal_bytes(a.conditioning.condition_number, b.conditioning.condition_number) &&
         equal_bytes(a.conditioning.surface_condition_number, b.conditioning.surface_condition_number) &&
         equal_bytes(a.conditioning.push_sigmas, b.conditioning.push_sigmas) &&
         equal_bytes(a.conditioning.weak_direction.v, b.conditioning.weak_direction.v);
}

Traffic traffic_between(const Traffic& before, const Traffic& after) {
  Traffic between = after;
  for (const TrafficCount& count : kTrafficCounts)
    if (!is_held(count)) between.*count.value -= before.*count.value;
  if (between.meetings && before.meetings) {
    between.meetings->exchanges -= before.meetings->exchanges;
    between.meetings->barriers -= before.meetings->barriers;
  }
  return between;
}

void add_alignment(std::optional<Traffic>& measurement, const Traffic& alignment) {
  if (!measurement) measurement = alignment;
  for (const TrafficCount& count : kTrafficCounts) {
    std::int64_t& all = (*measurement).*count.value;
    const std::int64_t now = alignment.*count.value;
    if (all != now && !may_differ(count))
      throw RegressionError(
          fmt::format("align: two calls with the same input differ in {}: {} and {}", count.name, all, now));
    all = std::max(all, now);
  }
}

}  // namespace ndt::harness
