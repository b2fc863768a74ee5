// Who runs what a block computes only once: neighbouring threads on state that all of them see. The same source serves one
// thread and a warp.
#pragma once

#include "ndt/core/hd.hpp"

namespace ndt {

/// A crew of one: the host's workers, and single device threads. A crew has
///   each(n, f)   f(0) ... f(n - 1), shared out; what they wrote is seen by all afterwards
///   one(f)       one thread runs f; what it wrote is seen by all afterwards
///   all(ok)      whether `ok` holds in every thread
/// Between these every thread computes the same from the same.
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

/// Copies a value of doubles; from and to are visible to the whole crew.
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
