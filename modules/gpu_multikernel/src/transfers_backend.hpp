// A backend that transfers what zero transfer avoids. The values that a step writes for every point come down
// to the host, which adds them up. The 6x6 systems come down, too, and the host solves them. Sums and
// solutions go up again. All else is as in CudaBackend.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ndt::gpu_multikernel {

/// sums[s] = Σ values[s length .. (s + 1) length), in double. The order depends on the length alone: eight
/// sums side by side, so that none waits for an addition of another.
void sum_on_host(const float* values, int segments, int length, double* sums);

/// As FactoriseStep: LDLᵀ of `systems` matrices [36], the solutions in place of the vectors [6]. Sets
/// factorised[k] to 1 where matrix k is not positive definite and its vector is void, else to 0.
void solve_on_host(double* matrices, double* vectors, int* factorised, int systems);

/// Device: CudaDevice, or in tests one that copies between arrays of the host.
template <class Device>
class TransfersBackend : public Device {
 public:
  /// Less than Device's, because the host side of the terms is pinned memory.
  static constexpr std::int64_t kBytes = std::int64_t{256} << 20;

  template <class Resource>
  explicit TransfersBackend(Resource& resource)
      : Device(resource),
        terms_(this->template host_side<float>()),
        doubles_(this->template host_side<double>()),
        answers_(this->template host_side<int>()) {}

  void sum_segments(const float* values, int segments, int length, double* sums) {
    const auto s = static_cast<std::size_t>(segments), n = s * static_cast<std::size_t>(length);
    reserve(terms_, n), reserve(doubles_, s);
    this->download(terms_.data(), values, n);
    this->wait();
    sum_on_host(terms_.data(), segments, length, doubles_.data());
    this->upload(sums, doubles_.data(), s);
  }

  void solve(double* matrices, double* vectors, int* factorised, int systems) {
    const auto k = static_cast<std::size_t>(systems);
    reserve(doubles_, k * (36 + 6)), reserve(answers_, k);
    double *host_matrices = doubles_.data(), *host_vectors = host_matrices + k * 36;
    this->download(host_matrices, matrices, k * 36);
    this->download(host_vectors, vectors, k * 6);
    this->wait();
    solve_on_host(host_matrices, host_vectors, answers_.data(), systems);
    this->upload(vectors, host_vectors, k * 6);
    this->upload(factorised, answers_.data(), k);
  }

 private:
  /// An array that grows moves, and may be the source of an upload under way.
  template <class Array>
  void reserve(Array& array, std::size_t n) {
    if (n <= array.capacity()) return;
    this->wait();
    array.reserve(n);
  }

  template <class T>
  using HostSide = typename Device::template HostSide<T>;
  HostSide<float> terms_;
  HostSide<double> doubles_;  ///< sums, or matrices and vectors
  HostSide<int> answers_;
};

}  // namespace ndt::gpu_multikernel
