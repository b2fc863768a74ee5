// The code for x86-64-v3: AVX2. CMakeLists.txt gives the option to files of this name alone.
#include "ndt/core/instruction_sets.hpp"
#include "range_kernels_body.hpp"

namespace ndt {
extern const RangeKernels kX86_64_v3RangeKernels;
const RangeKernels kX86_64_v3RangeKernels{"x86-64-v3", has_x86_64_v3, add_near};

}  // namespace ndt
