#include "ndt/initial_pose/strategy.hpp"

#include <algorithm>

namespace ndt::initial_pose {

std::span<const Strategy> strategies() {
  static constexpr Strategy kAll[] = {
      {"sequential", false, false, false,
       "one particle after the other, on any implementation: the baseline"},
      {"batched", true, false, false, "the start-up in one batch, guided particles one by one"},
      {"batched_persistent", true, true, false, "the start-up in one batch, guided particles in rounds"},
      {"pipelined", true, true, true, "the same; a round is proposed while the one before is aligned"}};
  return kAll;
}

const Strategy& default_strategy() { return *strategy_named("pipelined"); }

const Strategy* strategy_named(std::string_view name) {
  const std::span<const Strategy> all = strategies();
  const auto found = std::ranges::find(all, name, &Strategy::name);
  return found == all.end() ? nullptr : &*found;
}

bool is_able(const Implementation& entry, const Strategy& strategy) {
  return entry.batches || !(strategy.startup_at_once || strategy.guided_at_once);
}

bool suits(const Implementation& entry, const Strategy& strategy) {
  const Strategy* const own = strategy_named(entry.search);
  return own != nullptr && own->startup_at_once == strategy.startup_at_once &&
         own->guided_at_once == strategy.guided_at_once;
}

const Implementation* first_suited(std::span<const Implementation> table, const Strategy& strategy) {
  for (const Implementation& entry : table)
    if (suits(entry, strategy) && entry.unavailable_reason().empty()) return &entry;
  return nullptr;
}

}  // namespace ndt::initial_pose
