// The team that runs an algorithm body, as far as the body may know it. A body is SPMD: every worker runs it
// with the same control flow, and workers meet only in the collectives. It never sees a thread index, shared
// memory or a warp.
#pragma once

#include <concepts>

#include "ndt/core/hd.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/exec/chunks.hpp"
#include "ndt/exec/crew.hpp"

namespace ndt {

namespace detail {
struct CrewBody {
  template <class Crew>
  NDT_BODY int operator()(const Crew&) const {
    return 0;
  }
  template <class Crew>
  NDT_BODY void operator()(const Crew&, int) const {}
};
}  // namespace detail

/// The answer that no worker gives: another block did not arrive in time, so the sums are invalid.
inline constexpr int kBlockMissing = -1;

/// A sum's result, and the answer of the worker that was asked on the way, or kBlockMissing.
template <class Sums>
struct Total {
  Sums sums;
  int answer = 0;
};

/// Collectives, reached by all workers in the same order:
///   rank(), size()          this worker, number of workers
///   sync()                  barrier; writes before it are visible after it
///   once(f)                 one worker of the team runs f; no barrier
///   replicated(f)           one crew per block (on the CPU: every worker) runs f(crew) on block-local data,
///                           and the block waits for it
///   replicated(f, then)     the same, and after that wait the crew runs then(crew, what f gave), so only the
///                           crew sees what that writes. What f gives stays in registers
///   leads()                 whether this worker's crew writes, in then(), what the team writes once
///   sum<Sums>(n, f, ask)    f(first, count, lanes, Sums<Lanes::Real>&) over all of [0, n): float inside a
///                           chunk, Sums<double> across chunks, chunks folded in an order that never
///                           changes. One worker calls ask(), which gives an int. Gives a
///                           Total<Sums<double>> with the same bits on every worker, good until the next
///                           sum. No worker returns before all chunks are summed; how it waits is the
///                           team's matter (a barrier, or GridTeam's tags between blocks). On the CPU
///                           Chunks may stand for n, where items are few and each takes long
/// A CUDA team takes a Sample for n, too. A GridTeam's sum() and replicated() also take what the second crew
/// does beside a sum, and what other warps do while the crew runs f.
template <class T>
concept Team = requires(T& team, const T& constant, void (*f)()) {
  { constant.rank() } -> std::convertible_to<int>;
  { constant.size() } -> std::convertible_to<int>;
  team.sync();
  team.once(f);
  team.replicated(detail::CrewBody{});
  team.replicated(detail::CrewBody{}, detail::CrewBody{});
};

// Lanes are how a worker maps to points. Either its lanes share one point (lane r of w takes every w-th of
// the point's near voxels), or each lane has a point of its own.

/// One lane with one point, for unit tests and debuggers. A CUDA tile has the same members, with a
/// compile-time width and shuffles.
struct SingleLane {
  using Real = float;
  static constexpr int kPoints = 1;
  NDT_HD static constexpr int rank() { return 0; }
  NDT_HD static constexpr int width() { return 1; }
  /// Largest value over the lanes, on every lane.
  template <class T>
  NDT_HD static T max(T value) {
    return value;
  }
};

#if !defined(__CUDACC__)
/// Points side by side in the lanes of a CPU worker's vector registers, many in a call: the memory of all is
/// asked for before the first needs it.
struct SimdLanes {
  using Real = FloatLanes;
  static constexpr int kPoints = 64;
};
#endif

// One worker without threads, for unit tests and debuggers, and as the oracle of every other team.

template <class Lanes>
class BasicSerialTeam {
 public:
  NDT_BODY int rank() const { return 0; }
  NDT_BODY int size() const { return 1; }
  NDT_BODY void sync() {}
  template <class F>
  NDT_BODY void once(F&& f) {
    f();
  }
  template <class F>
  NDT_BODY void replicated(F&& f) {
    f(SoloCrew{});
  }
  template <class F, class Then>
  NDT_BODY void replicated(F&& f, Then&& then) {
    then(SoloCrew{}, f(SoloCrew{}));
  }
  NDT_BODY bool leads() const { return true; }
  template <template <class> class Sums, class F, class Ask>
  NDT_BODY Total<Sums<double>> sum(const Chunks& chunks, F&& f, Ask&& ask) {
    Total<Sums<double>> total;
    total.answer = ask();
    for (int c = 0; c < chunks.count; ++c) add_folded(total.sums, sum_chunk<Sums>(chunks, c, Lanes{}, f));
    return total;
  }
  template <template <class> class Sums, class F, class Ask>
  NDT_BODY Total<Sums<double>> sum(int n, F&& f, Ask&& ask) {
    return sum<Sums>(Chunks(n), f, ask);
  }
  template <template <class> class Sums, class F>
  NDT_BODY Sums<double> sum(int n, F&& f) {
    return sum<Sums>(n, static_cast<F&&>(f), [] { return 0; }).sums;
  }
};

using SerialTeam = BasicSerialTeam<SingleLane>;

}  // namespace ndt
