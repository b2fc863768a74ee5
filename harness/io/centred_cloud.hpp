// Absolute coordinates in double brought into the form of a PointCloud.
#pragma once

#include <string_view>
#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// Origin 0 while all finite points lie within 1000 m of it in every coordinate. Beyond, the origin is their
/// component-wise median, rounded down to whole kilometres: one stray point does not move it. Metres; `file` is for the
/// ndt::InputError about medians beyond Limits::kOriginM.
PointCloud centred_cloud(const std::vector<Vec3<double>>& absolute, std::string_view file);

}  // namespace ndt::harness
