// The end of a search: from what was proposed to the answer and its verdict.
#pragma once

#include "around/batches.hpp"
#include "ndt/initial_pose/search_options.hpp"

namespace ndt::initial_pose {

/// Most particles that are continued at once, which is more than are aligned beside the answer.
inline constexpr int kLeaders = 16;

/// Continues the leaders until they rest, chooses the best, looks from beside it, and judges.
SearchResult conclude(Batches& batches, const SearchOptions& options);

}  // namespace ndt::initial_pose
