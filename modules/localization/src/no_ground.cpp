#include "ndt/localization/no_ground.hpp"

#include <cmath>

namespace ndt::localization {

PointCloud above_ground(const PointCloud& scan, const Transform& map_from_scan, double height_m) {
  const Vec3<double> up{map_from_scan(2, 0), map_from_scan(2, 1), map_from_scan(2, 2)};
  PointCloud above;
  above.origin = scan.origin;
  for (const Point& p : scan.points) {
    const Vec3<double> at = scan.origin + cast<double>(p);
    if (std::isfinite(dot(at, at)) && dot(up, at) > height_m) above.points.push_back(p);
  }
  return above;
}

std::optional<Score> score_without_ground(Aligner& aligner, const PointCloud& scan,
                                          const Transform& map_from_scan, double height_m) {
  const PointCloud above = above_ground(scan, map_from_scan, height_m);
  if (above.points.empty()) return std::nullopt;
  Score score;
  aligner.score_batch(above, {&map_from_scan, 1}, {&score, 1});
  return score;
}

}  // namespace ndt::localization
