// The instruction sets that the kernels are compiled for.
#pragma once

namespace ndt {

struct PointKernels;
extern const PointKernels kBaselinePointKernels;
extern const PointKernels kX86_64_v3PointKernels;

}  // namespace ndt
