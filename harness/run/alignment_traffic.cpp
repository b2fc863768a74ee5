#include "run/alignment_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/exit_code.hpp"

namespace ndt::harness {
namespace {

bool is_held(const TrafficCount& count) { return count.value == &Traffic::peak_device_bytes; }
bool may_differ(const TrafficCount& count) { return is_held(count) || count.value == &Traffic::allocations; }

}  // namespace

Traffic traffic_between(const Traffic& before, const Traffic& after) {
  Traffic between = after;
  for (const TrafficCount& count : kTrafficCounts)
    if (!is_held(count)) between.*count.value -= before.*count.value;
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
