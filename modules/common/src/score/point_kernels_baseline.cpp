// The kernels for every CPU that the build is for.
#include "near_ranges_body.hpp"
#include "point_kernels_body.hpp"
#include "point_kernels_list.hpp"

namespace ndt {
namespace {

bool always() { return true; }

}  // namespace

const PointKernels kBaselinePointKernels{"baseline", always, add_points, largest_scores, add_near_ranges};

}  // namespace ndt
