// What an algorithm body may know about who runs it. A body is SPMD: every worker runs it with the same control flow, and
// workers meet only in the collectives. It never sees a thread index, shared memory or a warp.
#pragma once

#include <concepts>

namespace ndt {

/// Collectives, reached by all workers in the same order:
///   rank(), size()          this worker, number of workers
///   sync()                  barrier; writes before it are visible after it
///   once(f)                 one worker of the team runs f; no barrier
///   replicated(f)           one worker per block (on the CPU: every worker) runs f on block-local data; the block waits
///   sum<Sums>(n, f)         f(first, count, lanes, Sums<Lanes::Real>&) over all of [0, n): float inside a chunk, Sums<double>
///                           across chunks, chunks folded in order. The same bits on every worker. One barrier.
template <class T>
concept Team = requires(T& team, const T& constant, void (*f)()) {
  { constant.rank() } -> std::convertible_to<int>;
  { constant.size() } -> std::convertible_to<int>;
  team.sync();
  team.once(f);
  team.replicated(f);
};

}  // namespace ndt
