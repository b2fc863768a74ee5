// CPU threads as a team: a pool that lives as long as its aligner, and a spinning barrier. A body of a few
// microseconds cannot afford a wake-up per iteration, so workers spin briefly before they sleep.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <new>
#include <thread>
#include <vector>

#include "ndt/core/workers.hpp"
#include "ndt/exec/chunks.hpp"
#include "ndt/exec/crew.hpp"
#include "ndt/exec/team.hpp"

namespace ndt {

/// Reusable barrier for a fixed number of threads. A waiting thread spins, then sleeps.
class SpinBarrier {
 public:
  using Clock = std::chrono::steady_clock;

  SpinBarrier(int threads, int spins) : threads_(threads), spins_(spins) {}
  void arrive_and_wait();
  /// Counts as one thread's arrival without waiting. Returns true for the last arrival, which releases the
  /// others.
  bool arrive();
  /// Keeps threads that begin to wait from now on from sleeping before `time`. Does nothing without spins.
  void spin_until(Clock::time_point time = {}) {
    awake_until_.store(time.time_since_epoch().count(), std::memory_order_relaxed);
  }
  /// Number of threads that sleep now.
  int asleep() const { return asleep_.load(std::memory_order_relaxed); }

 private:
  const int threads_;
  const int spins_;
  std::atomic<Clock::rep> awake_until_{0};
  std::atomic<int> asleep_{0};
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> generation_{0};
};

/// Spreads the workers of a run over cores. A kernel in a virtual machine often wakes a sleeping thread on
/// its waker's core although another is idle, and leaves it there for milliseconds: longer than an alignment
/// takes.
class CoreClaims {
 public:
  CoreClaims();
  /// Moves the calling worker to a core that no worker of this run has claimed, if there is one; each worker
  /// calls it when a run starts. Afterwards the thread's affinity is as before. Works on Linux only,
  /// elsewhere it does nothing.
  void claim(unsigned run);

 private:
  std::vector<std::atomic<unsigned>> run_of_core_;
};

class HostPool;

/// One worker's view of the pool; a body gets it by reference.
class HostTeam {
 public:
  HostTeam(HostPool& pool, int rank) : pool_(pool), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const;
  void sync();
  template <class F>
  void once(F&& f) {
    if (rank_ == 0) f();
  }
  template <class F>
  void replicated(F&& f) {
    f(SoloCrew{});
  }
  template <class F, class Then>
  void replicated(F&& f, Then&& then) {
    then(SoloCrew{}, f(SoloCrew{}));
  }
  bool leads() const { return rank_ == 0; }
  template <template <class> class Sums, class F, class Ask>
  Total<Sums<double>> sum(const Chunks& chunks, F&& f, Ask&& ask);
  template <template <class> class Sums, class F, class Ask>
  Total<Sums<double>> sum(int n, F&& f, Ask&& ask) {
    return sum<Sums>(Chunks(n), f, ask);
  }
  template <template <class> class Sums, class F>
  Sums<double> sum(int n, F&& f) {
    return sum<Sums>(n, f, [] { return 0; }).sums;
  }

 private:
  HostPool& pool_;
  int rank_;
  /// The one of two buffers that the next sum uses. One barrier per sum is enough: a worker may write the
  /// partials of sum k+1 while another still folds those of sum k. It writes those of sum k+2 only after all
  /// have met in sum k+1.
  int parity_ = 0;
};

/// Owns the threads. Not thread-safe: one caller at a time.
class HostPool {
 public:
  /// workers: at least 1, or 0 for one per core. The calling thread is worker 0. Throws std::system_error if
  /// the system refuses a thread.
  explicit HostPool(int workers);
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  int size() const { return workers_; }
  /// Runs body(team) on every worker and returns when all are done. The body must not throw.
  void run(const std::function<void(HostTeam&)>& body);
  /// Wakes all threads. They wait for the next run() without sleeping, but no longer than this. Does nothing
  /// with more workers than cores.
  void stay_awake(std::chrono::milliseconds at_most);
  /// Number of threads that sleep now.
  int asleep() const { return barrier_.asleep(); }
  /// Runs f(team, k) for every k < n. If n is less than the number of workers, all workers run one k after
  /// the other together; otherwise each worker takes the next k as a team of one. Both fold sums alike, so
  /// the bits are the same.
  template <class F>
  void for_each(std::size_t n, F&& f);
  /// The threads for work that is no team's. They stay those of this pool, which must outlive them.
  Workers workers();

 private:
  friend class HostTeam;
  static constexpr std::size_t kMaxPartialBytes = 320;
  struct alignas(64) Slot {
    std::byte bytes[kMaxPartialBytes];
  };

  void meet(const std::function<void(HostTeam&)>& body);
  void work(int rank);
  /// Tells the threads that were started to end.
  void stop();

  const int workers_;
  SpinBarrier barrier_;
  struct alignas(64) Counter {
    std::atomic<int> next{0};
  };
  std::array<std::vector<Slot>, 2> partials_;
  std::array<Counter, 2> next_chunk_;
  std::array<int, 2> answers_{};
  const bool spread_;  ///< whether to claim cores: there are at least as many as workers
  CoreClaims claims_;
  unsigned run_ = 0;
  const std::function<void(HostTeam&)>* body_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::vector<std::jthread> threads_;
};

template <template <class> class Sums, class F, class Ask>
Total<Sums<double>> HostTeam::sum(const Chunks& chunks, F&& f, Ask&& ask) {
  using Partial = Sums<double>;
  static_assert(sizeof(Partial) <= HostPool::kMaxPartialBytes && alignof(Partial) <= 64);
  const auto parity = static_cast<std::size_t>(parity_);
  parity_ ^= 1;
  std::vector<HostPool::Slot>& slots = pool_.partials_[parity];
  std::atomic<int>& next = pool_.next_chunk_[parity].next;
  once([&] { pool_.answers_[parity] = ask(); });
  // A free worker takes the next chunk, so a worker that loses its core holds up one chunk only. The result
  // does not depend on which worker summed a chunk.
  for (int c; (c = next.fetch_add(1, std::memory_order_relaxed)) < chunks.count;)
    ::new (slots[static_cast<std::size_t>(c)].bytes) Partial(sum_chunk<Sums>(chunks, c, SimdLanes{}, f));
  sync();
  // Safe to reset: the counter is used again two sums later, and the barrier of the next sum comes before
  // that.
  once([&] { next.store(0, std::memory_order_relaxed); });
  Total<Partial> total;
  total.answer = pool_.answers_[parity];
  for (int c = 0; c < chunks.count; ++c)
    add_folded(total.sums,
               *std::launder(reinterpret_cast<const Partial*>(slots[static_cast<std::size_t>(c)].bytes)));
  return total;
}

template <class F>
void HostPool::for_each(std::size_t n, F&& f) {
  if (n < static_cast<std::size_t>(workers_)) {
    for (std::size_t k = 0; k < n; ++k) run([&](HostTeam& team) { f(team, k); });
    return;
  }
  std::atomic<std::size_t> next{0};
  const auto take_turns = [&](HostTeam&) {
    BasicSerialTeam<SimdLanes> alone;
    for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < n;) f(alone, k);
  };
  run(std::cref(take_turns));  // a std::function of the lambda itself would take memory with every call
}

}  // namespace ndt
