#include <cuda_runtime.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "busy_stream.hpp"

namespace ndt {
namespace {

constexpr int kBlocks = 32, kThreads = 128;  // small enough that a cooperative launch fits beside it
constexpr std::size_t kBytes = std::size_t{1} << 20U;
constexpr int kTogether = 8;  // kernels under way between two waits

/// Some 50 us of arithmetic.
__global__ void turn(float* values) {
  float& value = values[blockIdx.x * blockDim.x + threadIdx.x];
  float x = value;
  for (int i = 0; i < 20000; ++i) x = x * 0.999F + 0.5F;
  value = x;
}

}  // namespace

struct BusyStream::Impl {
  std::atomic<long long> kernels = 0;
  std::atomic<int> error = cudaSuccess;
  std::atomic<bool> stopped = false;
  std::thread worker{[this] { work(); }};

  void work() {
    cudaStream_t stream = nullptr;
    float* values = nullptr;
    if (succeeded(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) &&
        succeeded(cudaMalloc(&values, kBytes)))
      while (!stopped && enqueue(stream, values)) kernels += kTogether;
    cudaStreamSynchronize(stream);
    cudaFree(values);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }

  bool enqueue(cudaStream_t stream, float* values) {
    for (int k = 0; k < kTogether; ++k) {
      if (!succeeded(cudaMemsetAsync(values, k, kBytes, stream))) return false;
      turn<<<kBlocks, kThreads, 0, stream>>>(values);
      if (!succeeded(cudaGetLastError())) return false;
    }
    return succeeded(cudaStreamSynchronize(stream));
  }

  bool succeeded(cudaError_t code) {
    if (code != cudaSuccess) error = code;
    return code == cudaSuccess;
  }
};

BusyStream::BusyStream() : impl_(std::make_unique<Impl>()) {
  try {
    while (kernels() == 0) std::this_thread::yield();
  } catch (...) {
    impl_->worker.join();
    throw;
  }
}

BusyStream::~BusyStream() {
  impl_->stopped = true;
  impl_->worker.join();
}

long long BusyStream::kernels() const {
  if (const int code = impl_->error; code != cudaSuccess)
    throw std::runtime_error(std::string("BusyStream: ") +
                             cudaGetErrorString(static_cast<cudaError_t>(code)));
  return impl_->kernels;
}

}  // namespace ndt
