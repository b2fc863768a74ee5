// The two parts of a search: its method proposes places and learns from them, and from what was proposed come
// the answer and its verdict.
#pragma once

#include "around/batches.hpp"
#include "ndt/initial_pose/search_options.hpp"
#include "ndt/initial_pose/tpe.hpp"

namespace ndt::initial_pose {

/// The scan, unless the options say otherwise without its no-returns, which then lie in `room`.
const PointCloud& used_points(const PointCloud& scan, const SearchOptions& options, PointCloud& room);

/// Most poses of a batch.
int most_at_once(const Strategy& strategy, const SearchOptions& options);

/// Returns what a method is told of a result. A particle without overlap is worse than all others.
double told_score(const AlignResult& result);
/// Tells a result.
void tell(Tpe& tpe, const AlignResult& result);

/// Aligns from the places that `tpe` proposes, and tells it the results, until options.particles are
/// proposed or the limits of `batches` end it.
void propose(Batches& batches, const Strategy& strategy, const SearchOptions& options, Tpe& tpe);

/// Most particles that are continued at once, which is more than are aligned beside the answer.
inline constexpr int kLeaders = 16;

/// Continues the leaders until they rest, chooses the best, looks from beside it, and judges.
SearchResult conclude(Batches& batches, const SearchOptions& options);

}  // namespace ndt::initial_pose
