// Threads that help the calling one with a piece of work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace ndt {

/// Starts work() on up to `most` threads beside the calling one: no more than there are other cores, and
/// fewer where the system has no thread to spare. A future whose work has not ended waits for it when it is
/// destroyed.
template <class Work>
std::vector<std::future<void>> start_helpers(std::size_t most, Work work) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<void>> helpers;
  try {
    while (helpers.size() < std::min(most, cores - 1))
      helpers.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error&) {
    // Fewer helpers take longer.
  }
  return helpers;
}

}  // namespace ndt
