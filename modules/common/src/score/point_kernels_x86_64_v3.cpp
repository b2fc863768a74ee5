// The kernels for x86-64-v3: AVX2. CMakeLists.txt gives the option to files of this name alone.
#include "ndt/core/instruction_sets.hpp"
#include "point_kernels_body.hpp"
#include "point_kernels_list.hpp"

namespace ndt {
const PointKernels kX86_64_v3PointKernels{"x86-64-v3", has_x86_64_v3, add_points, largest_scores};

}  // namespace ndt
