#include "cusolver.cuh"

#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>
#include <dlfcn.h>

namespace ndt::gpu_multikernel {

/// Function pointers, with the library's own types.
struct CuSolver::Api {
  decltype(&cusolverDnCreate) create = nullptr;
  decltype(&cusolverDnDestroy) destroy = nullptr;
  decltype(&cusolverDnSetStream) set_stream = nullptr;
  decltype(&cusolverDnDpotrfBatched) factorise = nullptr;
  decltype(&cusolverDnDpotrsBatched) substitute = nullptr;
};

namespace {

constexpr int kSize = 6;

const std::string& library_name() {
  static const std::string name = "libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR);
  return name;
}

void* open_library() {
  const std::string& name = library_name();
  if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return dlopen((std::string(NDT_CUDA_LIBRARY_DIR "/") + name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

cudaError_t as_cuda(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_SUCCESS: return cudaSuccess;
    case CUSOLVER_STATUS_ALLOC_FAILED: return cudaErrorMemoryAllocation;
    case CUSOLVER_STATUS_NOT_INITIALIZED: return cudaErrorInitializationError;  // also if memory is short
    case CUSOLVER_STATUS_EXECUTION_FAILED: return cudaErrorLaunchFailure;
    case CUSOLVER_STATUS_ARCH_MISMATCH: return cudaErrorNoKernelImageForDevice;
    default: return cudaErrorInvalidValue;
  }
}

__global__ void point_kernel(double* matrices, double* vectors, int systems, double** matrix_pointers,
                             double** vector_pointers) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= systems) return;
  matrix_pointers[k] = matrices + k * kSize * kSize;
  vector_pointers[k] = vectors + k * kSize;
}

}  // namespace

const CuSolver::Api* CuSolver::opened() {
  static const Api* const api = []() -> const Api* {
    static Api found;
    void* library = open_library();  // stays open: drivers do not like to be unloaded
    const bool all = library != nullptr && find(library, "cusolverDnCreate", found.create) &&
                     find(library, "cusolverDnDestroy", found.destroy) &&
                     find(library, "cusolverDnSetStream", found.set_stream) &&
                     find(library, "cusolverDnDpotrfBatched", found.factorise) &&
                     find(library, "cusolverDnDpotrsBatched", found.substitute);
    return all ? &found : nullptr;
  }();
  return api;
}

const std::string& CuSolver::missing() {
  static const std::string why = opened() ? "" : library_name() + " was not found";
  return why;
}

CuSolver::CuSolver(cuda::Context& context)
    : context_(context),
      api_(opened()),
      matrix_pointers_(context),
      vector_pointers_(context),
      substituted_(context) {
  if (api_ == nullptr) return;
  cusolverDnHandle_t handle = nullptr;
  context.call("cusolverDnCreate", [&] { return as_cuda(api_->create(&handle)); });
  handle_ = handle;
  try {
    context.call("cusolverDnSetStream", [&] { return as_cuda(api_->set_stream(handle, context.stream())); });
    substituted_.reserve(1);
  } catch (...) {
    (void)api_->destroy(handle);
    throw;
  }
}

CuSolver::~CuSolver() {
  if (handle_ != nullptr) (void)api_->destroy(static_cast<cusolverDnHandle_t>(handle_));
}

void CuSolver::point_at(double* matrices, double* vectors, int systems) {
  if (matrices == matrices_ && vectors == vectors_ && systems <= systems_) return;
  systems_ = 0;  // if a call below throws, the next point_at() must begin anew
  matrix_pointers_.reserve(static_cast<std::size_t>(systems));
  vector_pointers_.reserve(static_cast<std::size_t>(systems));
  context_.launch(point_kernel, cuda::grid_for(systems), matrices, vectors, systems, matrix_pointers_.data(),
                  vector_pointers_.data());
  matrices_ = matrices, vectors_ = vectors, systems_ = systems;
}

void CuSolver::solve(double* matrices, double* vectors, int* factorised, int systems) {
  point_at(matrices, vectors, systems);
  auto* handle = static_cast<cusolverDnHandle_t>(handle_);
  context_.library_call("cusolverDnDpotrfBatched", kFactoriseLaunches, [&] {
    return as_cuda(api_->factorise(handle, CUBLAS_FILL_MODE_LOWER, kSize, matrix_pointers_.data(), kSize,
                                   factorised, systems));
  });
  context_.library_call("cusolverDnDpotrsBatched", kSubstituteLaunches, [&] {
    return as_cuda(api_->substitute(handle, CUBLAS_FILL_MODE_LOWER, kSize, 1, matrix_pointers_.data(), kSize,
                                    vector_pointers_.data(), kSize, substituted_.data(), systems));
  });
}

}  // namespace ndt::gpu_multikernel

#else  // a toolkit without cuSOLVER

namespace ndt::gpu_multikernel {

const std::string& CuSolver::missing() {
  static const std::string why = "this build's CUDA toolkit has no cuSOLVER";
  return why;
}

CuSolver::CuSolver(cuda::Context& context)
    : context_(context), matrix_pointers_(context), vector_pointers_(context), substituted_(context) {}
CuSolver::~CuSolver() = default;
void CuSolver::solve(double*, double*, int*, int) {}

}  // namespace ndt::gpu_multikernel

#endif
