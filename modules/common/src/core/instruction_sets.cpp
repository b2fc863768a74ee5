#include "ndt/core/instruction_sets.hpp"

namespace ndt {

bool has_x86_64_v3() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

}  // namespace ndt
