#include "ndt/initial_pose/grid.hpp"

#include <algorithm>
#include <cmath>

namespace ndt::initial_pose {

std::vector<Pose> grid_places(const PosePrior& prior, int count) {
  int k = std::max(1, static_cast<int>(std::cbrt(count)));
  while ((k + 1) * (k + 1) * (k + 1) <= count) ++k;  // cbrt may round down past a whole number
  const int headings = count / (k * k);
  const auto centre = [](int cell, int cells, double reach) {
    return reach * ((2.0 * cell + 1) / cells - 1);
  };
  const double reach = prior.sigma_yaw_rad ? std::min(2 * *prior.sigma_yaw_rad, kPi) : kPi;
  std::vector<Pose> places;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j)
      for (int heading = 0; heading < headings; ++heading) {
        Pose place = prior.mean;
        place.x += centre(i, k, 2 * prior.sigma[0]);
        place.y += centre(j, k, 2 * prior.sigma[1]);
        const double turn = reach < kPi ? centre(heading, headings, reach) : 2 * kPi * heading / headings;
        place.yaw = std::remainder(prior.mean.yaw + turn, 2 * kPi);
        places.push_back(place);
      }
  return places;
}

}  // namespace ndt::initial_pose
