// Processes that work through numbered tasks and may crash or hang: each is watched, replaced when it ends
// before its time, and what it was doing is known.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <vector>

namespace ndt::soak {

/// The present work of one process, in memory that it shares with its watcher.
struct Desk {
  std::atomic<std::uint64_t> task{0};
  std::atomic<int> part{0};
  std::atomic<std::int64_t> since_us{0};  ///< on the steady clock; 0: idle

  void begin(std::uint64_t new_task, int new_part);
  void idle() { since_us = 0; }
};

/// Memory that child processes share with this one.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  void* at(std::size_t byte) const { return static_cast<char*>(memory_) + byte; }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Values of a type made of atomics, shared with child processes.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t size) : memory_(size * sizeof(T)) {
    for (std::size_t k = 0; k < size; ++k) values_.push_back(new (memory_.at(k * sizeof(T))) T);
  }
  T& operator[](std::size_t k) const { return *values_[k]; }
  std::size_t size() const { return values_.size(); }

 private:
  SharedMemory memory_;
  std::vector<T*> values_;
};

/// A process that ended before its time.
struct Lost {
  std::uint64_t task = 0;
  int part = 0;
  int signal = 0;  ///< that ended it; 0: it exited
  bool hung = false;
};

/// Keeps so many processes at work until the time is over: each runs work(number of the process, desk), which
/// returns when it is done. One that crashes, or is busy with one part for longer than `limit_s`, is reported
/// and replaced. Makes no aligner here, because a device cannot be used after a fork.
void watch(int processes, double limit_s, const std::function<void(int, Desk&)>& work,
           const std::function<void(const Lost&)>& report);

}  // namespace ndt::soak
