#include "ndt/initial_pose/search_options.hpp"

#include <algorithm>

namespace ndt::initial_pose {
double last_edge_m(const AlignOptions& options) { return *(options.levels.end() - 1) * options.resolution_m; }

void validate(const SearchOptions& options) { require_within(kSearchOptions, options); }

std::span<const Strategy> strategies() {
  static constexpr Strategy kAll[] = {
      {"sequential", false, false, "one particle after the other, on any implementation: the baseline"},
      {"batched", true, false, "the start-up in one batch, guided particles one by one"},
      {"batched_persistent", true, true, "the start-up in one batch, guided particles in rounds"}};
  return kAll;
}

const Strategy& default_strategy() { return *strategy_named("batched_persistent"); }

const Strategy* strategy_named(std::string_view name) {
  const std::span<const Strategy> all = strategies();
  const auto found = std::ranges::find(all, name, &Strategy::name);
  return found == all.end() ? nullptr : &*found;
}

bool is_able(const Implementation& entry, const Strategy& strategy) {
  return entry.batches || !(strategy.startup_at_once || strategy.guided_at_once);
}

bool suits(const Implementation& entry, const Strategy& strategy) { return entry.search == strategy.name; }

const Implementation* first_suited(std::span<const Implementation> table, const Strategy& strategy) {
  for (const Implementation& entry : table)
    if (suits(entry, strategy) && entry.unavailable_reason().empty()) return &entry;
  return nullptr;
}

}  // namespace ndt::initial_pose
