// The kernels for every CPU that the build is for.
#include "point_kernels_body.hpp"
#include "point_kernels_list.hpp"

namespace ndt {
namespace {

bool always() { return true; }

}  // namespace

const PointKernels kBaselinePointKernels{"baseline", always, add_points, largest_scores};

}  // namespace ndt
