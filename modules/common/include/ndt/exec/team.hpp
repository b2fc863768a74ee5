// What an algorithm body may know about who runs it. A body is SPMD: every worker runs it with the same control flow, and
// workers meet only in the collectives. It never sees a thread index, shared memory or a warp.
#pragma once

#include <concepts>

#include "ndt/core/hd.hpp"

namespace ndt {

namespace detail {
struct CrewBody {
  template <class Crew>
  NDT_BODY void operator()(const Crew&) const {}
};
}  // namespace detail

/// What a sum gives, and the answer of the worker that was asked on the way.
template <class Sums>
struct Total {
  Sums sums;
  int answer = 0;
};

/// Collectives, reached by all workers in the same order:
///   rank(), size()          this worker, number of workers
///   sync()                  barrier; writes before it are visible after it
///   once(f)                 one worker of the team runs f; no barrier
///   replicated(f, then)     f(crew) by one crew per block (on the CPU: every worker) on block-local data; the block waits.
///                           then(crew) comes behind the wait: nobody but the crew sees what it writes
///   leads()                 whether this worker's crew is the one that writes what the team writes once, in then()
///   sum<Sums>(n, f, ask)    f(first, count, lanes, Sums<Lanes::Real>&) over all of [0, n): float inside a chunk, Sums<double>
///                           across chunks, chunks folded in an order that never changes. One worker calls ask(), which gives
///                           an int. A Total<Sums<double>> with the same bits on every worker, good until the next sum.
///                           One barrier.
template <class T>
concept Team = requires(T& team, const T& constant, void (*f)()) {
  { constant.rank() } -> std::convertible_to<int>;
  { constant.size() } -> std::convertible_to<int>;
  team.sync();
  team.once(f);
  team.replicated(detail::CrewBody{}, detail::CrewBody{});
};

}  // namespace ndt
