// Places on a lattice, for a search without any guidance.
#pragma once

#include <vector>

#include "ndt/initial_pose/pose_prior.hpp"

namespace ndt::initial_pose {

/// Gives at most `count` places. With k the cube root of count rounded down, they are the centres of k x k
/// equal cells of the square within two sigma of the mean's x and y. The rest of count goes to headings
/// around the circle, or to the centres of equal parts of what is within two sigma of the mean's; equally
/// many for each place, and they vary fastest. z, roll and pitch are the mean's.
std::vector<Pose> grid_places(const PosePrior& prior, int count);

}  // namespace ndt::initial_pose
