// The score of what stands above the ground: the ground fits wherever the vehicle is.
#pragma once

#include <optional>

#include "ndt/align/aligner.hpp"

namespace ndt::localization {

/// The finite points that a pose puts more than `height_m` above its own position.
PointCloud above_ground(const PointCloud& scan, const Transform& map_from_scan, double height_m);

/// Their score at the pose; nothing if there are none.
std::optional<Score> score_without_ground(Aligner& aligner, const PointCloud& scan,
                                          const Transform& map_from_scan, double height_m);

}  // namespace ndt::localization
