// The staged steps on a device: one kernel per step, CUB's segmented sums, cuSOLVER's 6x6 solves. The host
// drives the loop and reads back one flag per iteration.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/block/block_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include "cusolver.cuh"
#include "ndt/core/simd.hpp"
#include "ndt/cuda/buffer.cuh"
#include "newton_steps.hpp"

namespace ndt::gpu_multikernel {

inline constexpr int kSelectThreads = 256;

template <class Body>
__global__ void step_kernel(int n, const __grid_constant__ Body body) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) body(i);
}

/// One block keeps the entries of the list for which keeps(place in the list) holds, in their order, and
/// counts them. The list shrinks in place: an entry moves to no later place, and the sum's barrier lies
/// between a tile's reads and its writes.
template <class Keeps>
__global__ void select_kernel(int n, const __grid_constant__ Keeps keeps, int* list, std::uint32_t* kept) {
  using Scan = cub::BlockScan<int, kSelectThreads>;
  __shared__ typename Scan::TempStorage scratch;
  int count = 0;
  for (int first = 0; first < n; first += kSelectThreads) {
    const int k = first + static_cast<int>(threadIdx.x);
    const bool stays = k < n && keeps(k);
    const int entry = stays ? list[k] : 0;
    int before = 0, in_tile = 0;
    Scan(scratch).ExclusiveSum(stays ? 1 : 0, before, in_tile);
    if (stays) list[count + before] = entry;
    count += in_tile;
    __syncthreads();  // the next tile's sum uses the same scratch
  }
  if (threadIdx.x == 0) *kept = static_cast<std::uint32_t>(count);
}

/// Iterators that CUB reads in place of arrays: element i of a float array as double, and the beginning of
/// segment s.
struct AsDouble {
  __host__ __device__ double operator()(float value) const { return static_cast<double>(value); }
};
struct SegmentBegin {
  long long length;
  __host__ __device__ long long operator()(int segment) const { return segment * length; }
};

/// A backend but for its sums and its solver.
class CudaDevice {
 public:
  static constexpr std::int64_t kBytes = std::int64_t{1} << 30;
  template <class T>
  using Array = cuda::DeviceBuffer<T>;
  /// On the host, for copies.
  template <class T>
  using HostSide = cuda::PinnedBuffer<T>;

  explicit CudaDevice(cuda::Context& context) : context_(context), flag_(context, 1) {}

  template <class T>
  Array<T> array() {
    return Array<T>(context_);
  }
  template <class T>
  HostSide<T> host_side() {
    return HostSide<T>(context_);
  }

  void clear(void* array, std::size_t bytes) { context_.fill_bytes(array, 0, bytes); }

  template <class Body>
  void launch(int n, const Body& body) {
    if (n <= 0) return;
    const cuda::Grid grid = n <= 32 ? cuda::Grid{1, 32} : cuda::grid_for(n);
    context_.launch(step_kernel<Body>, grid, n, body);
  }

  template <class Keeps>
  void select(int n, const Keeps& keeps, int* list, std::uint32_t* kept) {
    context_.launch(select_kernel<Keeps>, cuda::Grid{1, kSelectThreads}, n, keeps, list, kept);
  }

  /// Begin copies of n values between an array and its host side; wait() ends them.
  template <class T>
  void download(T* host_side, const T* array, std::size_t n) {
    context_.download(host_side, array, n * sizeof(T));
  }
  template <class T>
  void upload(T* array, const T* host_side, std::size_t n) {
    context_.upload(array, host_side, n * sizeof(T));
  }
  void wait() { context_.synchronise(); }

  std::uint32_t read_flag(const std::uint32_t* flag) {
    download(flag_.data(), flag, 1);
    wait();
    return flag_[0];
  }

 protected:
  cuda::Context& context() { return context_; }

 private:
  cuda::Context& context_;
  cuda::PinnedBuffer<std::uint32_t> flag_;
};

class CudaBackend : public CudaDevice {
 public:
  explicit CudaBackend(cuda::Context& context) : CudaDevice(context), cusolver_(context), cub_(context) {}

  void sum_segments(const float* values, int segments, int length, double* sums) {
    const auto as_double = thrust::make_transform_iterator(values, AsDouble{});
    const auto begin =
        thrust::make_transform_iterator(thrust::make_counting_iterator(0), SegmentBegin{length});
    const auto sum = [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(scratch, bytes, as_double, sums, segments, begin, begin + 1,
                                             context().stream());
    };
    std::size_t bytes = 0;
    context().call("cub::DeviceSegmentedReduce::Sum (size)", [&] { return sum(nullptr, bytes); });
    cub_.reserve(bytes);
    context().library_call("cub::DeviceSegmentedReduce::Sum", kSumLaunches,
                           [&] { return sum(cub_.data(), bytes); });
  }
  static constexpr int kSumLaunches = 1;  // as CuSolver::kFactoriseLaunches

  void solve(double* matrices, double* vectors, int* factorised, int systems) {
    if (cusolver_.available())
      cusolver_.solve(matrices, vectors, factorised, systems);
    else
      launch(systems, FactoriseStep{matrices, vectors, factorised});
  }

 private:
  CuSolver cusolver_;
  cuda::DeviceBuffer<char> cub_;
};

}  // namespace ndt::gpu_multikernel
