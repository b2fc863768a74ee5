// Independent pieces of work on a few threads.
#pragma once

#include <atomic>
#include <future>
#include <vector>

namespace ndt::harness::town {

/// Calls work(i) for every i in [0, count), on `threads` threads. Ends early with the first exception.
template <class Work>
void in_parallel(int count, int threads, const Work& work) {
  std::atomic<int> next{0};
  const auto run = [&] {
    try {
      for (int i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      throw;
    }
  };
  std::vector<std::future<void>> workers;
  for (int k = 0; k < threads; ++k) workers.push_back(std::async(std::launch::async, run));
  for (auto& worker : workers) worker.wait();
  for (auto& worker : workers) worker.get();
}

}  // namespace ndt::harness::town
