// Places on a lattice: what a search without any guidance would try.
#pragma once

#include <vector>

#include "ndt/initial_pose/pose_prior.hpp"

namespace ndt::initial_pose {

/// At most `count` places: the centres of k x k equal cells of the square within two sigma of the mean's x and y, each with as many
/// headings around the circle as are left, k the cube root of count rounded down; z, roll and pitch are the mean's. Headings
/// vary fastest.
std::vector<Pose> grid_places(const PosePrior& prior, int count);

}  // namespace ndt::initial_pose
