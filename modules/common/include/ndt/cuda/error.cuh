// A CUDA call that failed: which, with what, and where it was made.
#pragma once

#include <cuda_runtime.h>

#include <source_location>
#include <stdexcept>

namespace ndt::cuda {

/// "<file>:<line>: cudaMallocAsync: out of memory (cudaErrorMemoryAllocation)".
class Error : public std::runtime_error {
 public:
  Error(const char* api, cudaError_t code, const std::source_location& where);
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Whether the code says that this process can use the device no more: nothing but a new process helps.
bool is_sticky(cudaError_t code);

/// For tests: the `nth` next call (1 is the next) that any Context makes is not made and answers `code`. 0 disarms.
void inject_fault(int nth, cudaError_t code);
/// Calls that Contexts made so far in this process, and allocations that are not yet freed.
long long calls_made();
long long live_allocations();

}  // namespace ndt::cuda
