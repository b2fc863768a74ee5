// The two cuSOLVER functions that step 9 needs, from the library if this machine has it. The library is
// opened when an aligner is made and not linked, because a program that runs on the CPU alone should not load
// its hundreds of megabytes.
#pragma once

#include <string>

#include "ndt/cuda/buffer.cuh"

namespace ndt::gpu_multikernel {

class CuSolver {
 public:
  /// Kernels that the two calls of solve() launch on CUDA 13.0; a test counts them in a stream capture.
  static constexpr int kFactoriseLaunches = 3, kSubstituteLaunches = 4;

  /// Returns why this machine or this build has no cuSOLVER; empty: it has. Opens the library.
  static const std::string& missing();

  /// Opens the library and binds it to the context's stream. Throws cuda::Error if it is there but fails.
  explicit CuSolver(cuda::Context& context);
  ~CuSolver();
  CuSolver(const CuSolver&) = delete;
  CuSolver& operator=(const CuSolver&) = delete;

  /// Whether the library was found.
  bool available() const { return handle_ != nullptr; }
  /// Cholesky of `systems` symmetric 6x6 matrices (column-major, overwritten) and the solution in place of
  /// the vectors; factorised[k] is 0 or, where the matrix is not positive definite, positive, and the vector
  /// is void. All on the device.
  void solve(double* matrices, double* vectors, int* factorised, int systems);

 private:
  struct Api;
  static const Api* opened();
  void point_at(double* matrices, double* vectors, int systems);

  cuda::Context& context_;
  const Api* api_ = nullptr;
  void* handle_ = nullptr;
  cuda::DeviceBuffer<double*> matrix_pointers_, vector_pointers_;
  cuda::DeviceBuffer<int> substituted_;  // potrsBatched's verdict on its arguments
  double *matrices_ = nullptr, *vectors_ = nullptr;
  int systems_ = 0;
};

}  // namespace ndt::gpu_multikernel
