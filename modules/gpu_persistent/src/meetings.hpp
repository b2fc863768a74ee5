// How often the blocks of a persistent kernel met: what its schedule makes of an alignment's outcome.
#pragma once

#include "ndt/core/counters.hpp"
#include "ndt/solve/loop_outcome.hpp"

namespace ndt::gpu_persistent {

/// The blocks of an alignment: of the whole grid or a part of it, of a cluster, or one.
enum class TeamKind { grid, cluster, block };

/// Every evaluation is one sum, and so is each of the ending. A grid's blocks exchange a sum without a
/// barrier, a cluster's wait at one, after one at their start. fetch_barrier: whether the kernel waits until
/// all blocks have fetched the scan.
inline Meetings meetings_of(TeamKind team, const LoopOutcome& outcome, int max_iterations,
                            bool fetch_barrier) {
  if (team == TeamKind::block) return {};
  const int sums = outcome.evaluations + ending_sums(outcome, max_iterations);
  return {sums, team == TeamKind::cluster ? 1 + sums : fetch_barrier ? 1 : 0};
}

}  // namespace ndt::gpu_persistent
