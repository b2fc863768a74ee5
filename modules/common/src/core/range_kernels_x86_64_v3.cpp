// The code for x86-64-v3: AVX2. CMakeLists.txt gives the option to files of this name alone.
#include "range_kernels_body.hpp"

namespace ndt {
namespace {

bool has_x86_64_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}

}  // namespace

extern const RangeKernels kX86_64_v3RangeKernels;
const RangeKernels kX86_64_v3RangeKernels{"x86-64-v3", has_x86_64_v3, add_near};

}  // namespace ndt
