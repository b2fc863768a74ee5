#include "ndt/initial_pose/search_options.hpp"

namespace ndt::initial_pose {

std::span<const Strategy> strategies() {
  static constexpr Strategy kAll[] = {
      {"sequential", false, false, "one particle after the other, on any implementation: the baseline"},
      {"batched", true, false, "the start-up in one batch, guided particles one by one"},
      {"batched_persistent", true, true, "the start-up in one batch, guided particles in rounds"}};
  return kAll;
}

void validate(const SearchOptions& options) { require_within(kSearchOptions, options); }

}  // namespace ndt::initial_pose
