// A crew runs what a block computes only once: neighbouring threads that share visible state. The same source
// serves one thread and a warp.
#pragma once

#include "ndt/core/hd.hpp"

namespace ndt {

/// A crew of one: a worker of the host, or a single device thread. A crew has
///   each(n, f)   runs f(0) ... f(n - 1), shared out; all threads see afterwards what they wrote
///   one(f)       runs f on one thread; all threads see afterwards what it wrote
///   all(ok)      tells whether `ok` holds in every thread
/// Between these calls every thread computes the same results from the same values.
struct SoloCrew {
  template <class F>
  NDT_HD static void each(int n, F&& f) {
    for (int i = 0; i < n; ++i) f(i);
  }
  template <class F>
  NDT_HD static void one(F&& f) {
    f();
  }
  NDT_HD static bool all(bool ok) { return ok; }
};

/// Copies a value that consists of doubles. The whole crew must see `from` and `to`.
template <class Crew, class T>
NDT_HD inline void copy(const Crew& crew, const T& from, T& to) {
  static_assert(sizeof(T) % sizeof(double) == 0 && alignof(T) % alignof(double) == 0);
  const auto* source = reinterpret_cast<const double*>(&from);
  auto* target = reinterpret_cast<double*>(&to);
  crew.each(static_cast<int>(sizeof(T) / sizeof(double)), [&](int i) { target[i] = source[i]; });
}
template <class T>
NDT_HD inline void copy(const SoloCrew&, const T& from, T& to) {
  to = from;
}

}  // namespace ndt
