// Whether a scan sees the surfaces that the map has in its way, and no others.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// The evidence of the scan's rays about a pose. All are shares, 0 to 1.
struct Sight {
  /// The share of the map's points that stand clearly before the scan's return in their direction, of those
  /// with a return. The scan looked through them.
  double seen_through = 0;
  /// The share of the scan's points that stand clearly before all map points in their direction, of those
  /// with such map points. The map lacks these surfaces, although it saw what is behind them.
  double unmapped = 0;
  double in_view = 0;  ///< of the scan's points, those in whose direction the map has a point

  /// How much the scan and the map contradict each other.
  double contradiction() const { return seen_through + unmapped; }
};

/// The direction of a ray from its sensor, and where it ends.
struct Ray {
  int direction = 0;  ///< of some 16,000 that divide the sphere
  float range_m = 0;  ///< [m]
};

/// A scan's rays, and the nearest of them in every direction. The origin of the scan's frame is taken for the
/// sensor. Points that are not finite are left out.
class ScanRays {
 public:
  /// 8 bytes a point, and some for every direction.
  explicit ScanRays(const PointCloud& scan);

 private:
  friend class SightLines;
  std::vector<Ray> rays_;
  /// The nearest of each direction and those beside it; NaN where the direction itself has no ray.
  std::vector<float> before_m_;
};

/// A map's points, to be looked at from any place. Scores of NDT judge the points of a scan. Rays also tell
/// that the space before them is free [as in occupancy grids, Elfes 1989].
class SightLines {
 public:
  /// Copies the finite points: 12 bytes each.
  explicit SightLines(const PointCloud& map);

  /// Compares the scan at the pose with the map's points within 60 m, direction by direction. Directions are
  /// 1.3 to 2.5 degrees wide. A point stands before another if it is nearer by 0.3 m and 3 % of its range. It
  /// is clear only if it stands before all others in its own and the neighbouring directions. All shares are
  /// 0 if there is nothing to compare. If the map has many points, up to three more threads help; the result
  /// is the same.
  Sight look(const ScanRays& scan, const Transform& map_from_scan) const;

 private:
  /// Points in a square of the map, from origin_, coordinate by coordinate.
  struct Square {
    std::vector<float> x, y, z;
  };

  /// Returns the squares with points within reach of a place.
  std::vector<const Square*> near(const Vec3<double>& from) const;

  Vec3<double> origin_;
  std::map<std::pair<long long, long long>, Square> squares_;
};

}  // namespace ndt::initial_pose
