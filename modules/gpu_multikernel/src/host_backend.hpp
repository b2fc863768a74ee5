// The staged steps on CPU threads: loops in place of launches, plain C++ in place of CUB and cuSOLVER.
#pragma once

#include <vector>

#include "ndt/core/simd.hpp"
#include "ndt/exec/host_team.hpp"
#include "newton_steps.hpp"

namespace ndt::gpu_multikernel {

/// Memory that only grows, like a device buffer. Its contents are lost when it does.
template <class T>
class HostArray {
 public:
  void reserve(std::size_t n) {
    if (n > values_.size()) values_ = std::vector<T>(n);
  }
  T* data() { return values_.data(); }
  std::size_t capacity() const { return values_.size(); }

 private:
  std::vector<T> values_;
};

class HostBackend {
 public:
  static constexpr std::int64_t kBytes = std::int64_t{256} << 20;
  template <class T>
  using Array = HostArray<T>;

  explicit HostBackend(HostPool& pool) : pool_(pool) {}

  template <class T>
  Array<T> array() const {
    return {};
  }
  /// Traces are written before they are read; only what is downloaded must have been written whole.
  static void clear(void*, std::size_t) {}

  /// Runs body(i) for i in [0, n), cut evenly over the workers. The calling thread alone runs a small n.
  template <class Body>
  void launch(int n, const Body& body) {
    if (n < kWorthWaking) {
      for (int i = 0; i < n; ++i) body(i);
      return;
    }
    pool_.run([&](HostTeam& team) {
      const auto cut = [&](int rank) {
        return static_cast<int>(static_cast<std::int64_t>(n) * rank / team.size());
      };
      for (int i = cut(team.rank()); i < cut(team.rank() + 1); ++i) body(i);
    });
  }

  /// sums[s] = Σ values[s length .. (s + 1) length), in order, in double.
  void sum_segments(const float* values, int segments, int length, double* sums) {
    const auto sum = [=](int s) {
      const float* first = values + static_cast<std::size_t>(s) * static_cast<std::size_t>(length);
      double total = 0;
      for (int i = 0; i < length; ++i) total += static_cast<double>(first[i]);
      sums[s] = total;
    };
    if (static_cast<std::int64_t>(segments) * length < kTermsWorthWaking) {
      for (int s = 0; s < segments; ++s) sum(s);
      return;
    }
    pool_.run([&](HostTeam& team) {
      for (int s = team.rank(); s < segments; s += team.size()) sum(s);
    });
  }

  /// Keeps the entries of the list for which keeps(place in the list) holds, in their order, and counts them.
  template <class Keeps>
  void select(int n, const Keeps& keeps, int* list, std::uint32_t* kept) {
    int count = 0;
    for (int k = 0; k < n; ++k)
      if (keeps(k)) list[count++] = list[k];
    *kept = static_cast<std::uint32_t>(count);
  }

  void solve(double* matrices, double* vectors, int* factorised, int systems) {
    launch(systems, FactoriseStep{matrices, vectors, factorised});
  }

  std::uint32_t read_flag(const std::uint32_t* flag) { return *flag; }

 private:
  // Less work than this is done before the other threads are awake.
  static constexpr int kWorthWaking = 2048;
  static constexpr std::int64_t kTermsWorthWaking = 1 << 16;

  HostPool& pool_;
};

}  // namespace ndt::gpu_multikernel
