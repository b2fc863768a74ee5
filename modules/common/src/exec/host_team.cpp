#include "ndt/exec/host_team.hpp"

#include <algorithm>
#include <system_error>

#if defined(__linux__)
#include <sched.h>

#include "ndt/core/formatted.hpp"
#endif

namespace ndt {
namespace {

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

/// Number of checks after which a waiting thread yields its core. Without that, two workers that woke up on
/// one core would wait for each other until the scheduler's time slice ends.
constexpr int kSpinsBeforeYield = 64;

/// Number of yields before a waiting thread sleeps: a few milliseconds' worth. With more workers than cores
/// there are none, because a spinning thread may hold the core that the awaited one needs.
int spins_for(int workers) { return workers <= cores() ? 312 : 0; }

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

bool SpinBarrier::arrive() {
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_) return false;
  arrived_.store(0, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  return true;
}

void SpinBarrier::arrive_and_wait() {
  const unsigned generation = generation_.load(std::memory_order_acquire);
  if (arrive()) return;
  const auto must_spin = [&] {
    const Clock::rep until = awake_until_.load(std::memory_order_relaxed);
    return until != 0 && Clock::now().time_since_epoch().count() < until;
  };
  for (int i = 0; i < spins_ || (spins_ > 0 && must_spin()); ++i) {
    for (int k = 1; k < kSpinsBeforeYield; ++k) {
      if (generation_.load(std::memory_order_acquire) != generation) return;
      pause();
    }
    std::this_thread::yield();
  }
  asleep_.fetch_add(1, std::memory_order_relaxed);
  while (generation_.load(std::memory_order_acquire) == generation)
    generation_.wait(generation, std::memory_order_acquire);
  asleep_.fetch_sub(1, std::memory_order_relaxed);
}

#if defined(__linux__)

CoreClaims::CoreClaims() : run_of_core_(CPU_SETSIZE) {}

void CoreClaims::claim(unsigned run) {
  const auto claimed = [&](int core) {
    return run_of_core_[static_cast<std::size_t>(core)].exchange(run) == run;
  };
  const int here = ::sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE || !claimed(here)) return;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || claimed(core)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ::sched_setaffinity(0, sizeof one, &one);          // moves the thread now,
    ::sched_setaffinity(0, sizeof allowed, &allowed);  // and lets the scheduler move it later
    return;
  }
}

#else

CoreClaims::CoreClaims() = default;
void CoreClaims::claim(unsigned) {}

#endif

int HostTeam::size() const { return pool_.workers_; }
void HostTeam::sync() {
  if (pool_.workers_ > 1) pool_.barrier_.arrive_and_wait();
}

HostPool::HostPool(int workers)
    : workers_(workers > 0 ? workers : cores()),
      barrier_(workers_, spins_for(workers_)),
      spread_(workers_ > 1 && workers_ <= cores()) {
  for (std::vector<Slot>& slots : partials_) slots.resize(kMaxChunks);
  threads_.reserve(static_cast<std::size_t>(workers_));
  try {
    for (int rank = 1; rank < workers_; ++rank) threads_.emplace_back([this, rank] { work(rank); });
  } catch (const std::system_error& error) {
    stop();  // otherwise the threads that did start would wait for the missing ones forever
    throw std::system_error(
        error.code(),
        formatted("thread {} of {} cannot be started, ask for fewer threads", threads_.size() + 2, workers_));
  } catch (...) {
    stop();
    throw;
  }
}

HostPool::~HostPool() { stop(); }

void HostPool::stop() {
  stopping_.store(true, std::memory_order_release);
  // Arrives for this thread and for every worker that never started, so the others wake up and see the flag.
  for (int absent = workers_ - static_cast<int>(threads_.size()); absent > 0; --absent) barrier_.arrive();
}

void HostPool::run(const std::function<void(HostTeam&)>& body) {
  barrier_.spin_until();
  meet(body);
}

Workers HostPool::workers() {
  return {static_cast<std::size_t>(workers_), [this](std::size_t n, const Workers::Work& work) {
            std::atomic<std::size_t> next{0};
            const auto take_turns = [&](HostTeam&) {
              for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < n;) work(k);
            };
            run(std::cref(take_turns));
          }};
}

void HostPool::stay_awake(std::chrono::milliseconds at_most) {
  if (!spread_) return;
  barrier_.spin_until(SpinBarrier::Clock::now() + at_most);
  meet([](HostTeam&) {});
}

void HostPool::meet(const std::function<void(HostTeam&)>& body) {
  body_ = &body;
  if (spread_) claims_.claim(++run_);
  if (workers_ > 1) barrier_.arrive_and_wait();  // start
  HostTeam team(*this, 0);
  body(team);
  if (workers_ > 1) barrier_.arrive_and_wait();  // all workers are done, so the body may be destroyed
}

void HostPool::work(int rank) {
  while (true) {
    barrier_.arrive_and_wait();
    if (stopping_.load(std::memory_order_acquire)) return;
    if (spread_) claims_.claim(run_);
    HostTeam team(*this, rank);
    (*body_)(team);
    barrier_.arrive_and_wait();
  }
}

}  // namespace ndt
