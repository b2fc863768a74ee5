// Small random worlds of boxes and tubes, and what a spinning scanner sees of them.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "ndt/core/point_cloud.hpp"
#include "town/solids.hpp"

namespace ndt::harness {

struct SceneWorld {
  std::vector<town::Solid> solids;
  double reach_x = 0, reach_y = 0;  ///< half extents of the area around the origin in which sensors stand
};

// Worlds that hold a pose in all directions.

/// A walled hall with pillars. `outline` draws walls and pillars, `inside` partitions and furniture.
SceneWorld hall(IntegerRandom& outline, IntegerRandom& inside);
/// Along x: houses, parked cars, posts.
SceneWorld street(IntegerRandom& random);
/// Trunks and a few huts on flat ground.
SceneWorld grove(IntegerRandom& random);

// Worlds that leave a direction free.

/// Along x, with no end in view.
SceneWorld corridor(IntegerRandom& random);
SceneWorld plain();
/// Round, with a flat floor; its axis is z.
SceneWorld tank(IntegerRandom& random);

// Worlds that repeat themselves along x, with a few things that tell one place from another.

/// Equal houses on both sides of a street.
SceneWorld terrace(IntegerRandom& random, double period_m);
/// Equal pillars in rows below a ceiling.
SceneWorld car_park(IntegerRandom& random, double period_m);

/// Returns a place for a sensor 1.8 m above the ground, at least a metre away from all solids there.
Vec3<double> free_place(const SceneWorld& world, IntegerRandom& random);

/// Returns the points of one sweep of 32 beams in the sensor's frame, their ranges with a noise of `noise_m`.
PointCloud sweep(const SceneWorld& world, const Transform& world_from_sensor, double noise_m,
                 IntegerRandom& random);

}  // namespace ndt::harness
