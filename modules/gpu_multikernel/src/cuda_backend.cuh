// The staged steps on a device: a kernel a step, CUB's segmented sums, cuSOLVER's 6x6 solves. The host drives the loop and reads
// back one flag per iteration.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <memory>
#include <span>
#include <vector>

#include "cusolver.cuh"
#include "ndt/edge/device_aligner.cuh"
#include "newton_steps.hpp"

namespace ndt::gpu_multikernel {

template <class Body>
__global__ void step_kernel(int n, const __grid_constant__ Body body) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) body(i);
}

/// Element i of a float array as double, and where segment s begins: what CUB reads in place of arrays.
struct AsDouble {
  __host__ __device__ double operator()(float value) const { return static_cast<double>(value); }
};
struct SegmentBegin {
  long long length;
  __host__ __device__ long long operator()(int segment) const { return segment * length; }
};

class CudaBackend : public DeviceRow {
 public:
  static constexpr std::int64_t kBytes = std::int64_t{1} << 30;
  template <class T>
  using Array = cuda::DeviceBuffer<T>;

  explicit CudaBackend(const AlignOptions&) : cusolver_(context()), cub_(context()), flag_(context(), 1) {}

  template <class T>
  Array<T> array() {
    return Array<T>(context());
  }

  void upload(const ScanView& scan, std::span<const LoopRun> runs, StagedArrays& a) {
    const DeviceScan on_device = reserve_scan(scan, runs.size(), 0);
    upload_scan(scan, runs, nullptr, 0);
    clear(a.trace, runs.size() * static_cast<std::size_t>(a.trace_lines) * sizeof(LoopTrace));
    a.scan = on_device.points;
    a.guesses = on_device.guesses;
  }

  template <class Body>
  void launch(int n, const Body& body) {
    if (n <= 0) return;
    const cuda::Grid grid = n <= 32 ? cuda::Grid{1, 32} : cuda::grid_for(n);
    context().launch(step_kernel<Body>, grid, n, body);
  }

  void sum_segments(const float* values, int segments, int length, double* sums) {
    const auto as_double = thrust::make_transform_iterator(values, AsDouble{});
    const auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator(0), SegmentBegin{length});
    const auto sum = [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(scratch, bytes, as_double, sums, segments, begin, begin + 1,
                                             context().stream());
    };
    std::size_t bytes = 0;
    context().call("cub::DeviceSegmentedReduce::Sum (size)", [&] { return sum(nullptr, bytes); });
    cub_.reserve(bytes);
    context().library_call("cub::DeviceSegmentedReduce::Sum", kSumLaunches, [&] { return sum(cub_.data(), bytes); });
  }
  static constexpr int kSumLaunches = 1;  // as CuSolver::kFactoriseLaunches

  void solve(double* matrices, double* vectors, int* factorised, int systems) {
    if (cusolver_.available())
      cusolver_.solve(matrices, vectors, factorised, systems);
    else
      launch(systems, FactoriseStep{matrices, vectors, factorised});
  }

  std::uint32_t read_flag(const std::uint32_t* flag) {
    context().download(flag_.data(), flag, sizeof *flag);
    context().synchronise();
    return flag_[0];
  }

  void download(const StagedArrays& a, std::span<LoopRun> runs) {
    fetch_outcomes(a.outcomes, a.trace, a.trace_lines, runs.size());
    collect_outcomes(a.trace_lines, runs);
  }

 private:
  CuSolver cusolver_;
  cuda::DeviceBuffer<char> cub_;
  cuda::PinnedBuffer<std::uint32_t> flag_;
};

}  // namespace ndt::gpu_multikernel
