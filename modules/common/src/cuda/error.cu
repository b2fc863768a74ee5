#include <string>

#include "ndt/cuda/error.cuh"

namespace ndt::cuda {
namespace {

/// Of the path, what lies inside the repository.
std::string short_path(const char* file) {
  const std::string path(file);
  const auto at = path.rfind("modules/");
  return at == std::string::npos ? path : path.substr(at);
}

}  // namespace

Error::Error(const char* api, cudaError_t code, const std::source_location& where)
    : std::runtime_error(short_path(where.file_name()) + ":" + std::to_string(where.line()) + ": " + api + ": " +
                         cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")"),
      code_(code) {}

bool is_sticky(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
    case cudaErrorDevicesUnavailable:
    case cudaErrorUnknown: return true;
    default: return false;
  }
}

}  // namespace ndt::cuda
