// Threads among which a call shares its work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

namespace ndt {

/// A run of items, [begin, end).
struct Part {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};
/// Part k of n that are as large as one another.
inline Part part_of(std::size_t items, std::size_t k, std::size_t n) {
  return {items * k / n, items * (k + 1) / n};
}

/// The calling thread alone, or the threads of a pool.
struct Workers {
  using Work = std::function<void(std::size_t)>;

  std::size_t count = 1;
  /// Runs work(k) once for every k < n, and returns when all are done. The work does not throw.
  std::function<void(std::size_t n, const Work& work)> run;

  /// Runs work(k) once for every k < n. Throws what the work throws, after all.
  void each(std::size_t n, const Work& work) const {
    if (count == 1 || n == 1) {
      for (std::size_t k = 0; k < n; ++k) work(k);
      return;
    }
    std::exception_ptr failed;
    std::mutex only_one;
    run(n, [&](std::size_t k) {
      try {
        work(k);
      } catch (...) {
        const std::scoped_lock lock(only_one);
        failed = std::current_exception();
      }
    });
    if (failed) std::rethrow_exception(failed);
  }

  /// The number of parts for so many items: one for each worker that has `least` items or more.
  std::size_t parts(std::size_t items, std::size_t least) const {
    return std::clamp<std::size_t>(items / least, 1, count);
  }
};

}  // namespace ndt
