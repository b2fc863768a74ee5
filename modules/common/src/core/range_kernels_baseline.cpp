// The code for every CPU that the build is for.
#include "range_kernels_body.hpp"

namespace ndt {
namespace {

bool always() { return true; }

}  // namespace

extern const RangeKernels kBaselineRangeKernels;
const RangeKernels kBaselineRangeKernels{"baseline", always, add_near};

}  // namespace ndt
