#include "base/build_info.hpp"

#include "build_constants.hpp"
#include "commit.hpp"

namespace ndt::harness {

const BuildInfo& build_info() {
  static const BuildInfo info{NDT_VERSION,     NDT_COMMIT,         NDT_COMPILER,      NDT_BUILD_FLAGS,
                              NDT_BUILD_TYPE,  NDT_BUILD_SANITIZE, NDT_CUDA_VERSION,  NDT_CUDA_MISSING,
                              NDT_PCL_VERSION, NDT_PCL_MISSING,    NDT_HAVE_LZF != 0};
  return info;
}

}  // namespace ndt::harness
