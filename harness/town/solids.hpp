// The solids of the town, and where a ray hits them first.
#pragma once

#include <limits>
#include <variant>

#include "town/exact.hpp"

namespace ndt::harness::town {

inline constexpr double kNoHit = std::numeric_limits<double>::infinity();

/// Starts at `from` and runs along the unit vector `along`; metres.
struct Ray {
  Vec3<double> from, along;

  Vec3<double> at(double t) const { return from + t * along; }
};

/// The upright rectangle around a solid or an area.
struct Footprint {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

/// Rows of windows set back into the four walls of a box; pitch_m = 0 means no windows.
struct Windows {
  double pitch_m = 0, width_m = 0;                ///< a window in the middle of every pitch along the wall
  double base_z = 0, storey_m = 0, storeys = 0;   ///< storeys above base_z
  double sill_m = 0, height_m = 0, recess_m = 0;  ///< sill above the storey's floor, depth behind the wall
};

/// Upright, turned about z. Its own axes: u along `heading`, v to the left of it, z.
struct Box {
  double x = 0, y = 0;  ///< centre
  Heading heading;
  double half_u = 0, half_v = 0, z0 = 0, z1 = 0;
  Windows windows;
};

/// Upright tube; its ends are open.
struct Cylinder {
  double x = 0, y = 0, radius = 0, z0 = 0, z1 = 0;
};

/// An ellipsoid filled with clumps of leaves that stay where they are: cubes of 0.35 m, of which `filled` in
/// 256 are there.
struct Crown {
  Vec3<double> centre;
  double radius = 0, half_height = 0;
  std::uint64_t seed = 0, filled = 100;
};

/// Turned about z: u along `heading`, v to the left of it.
struct Ellipsoid {
  Vec3<double> centre;
  Heading heading;
  double half_u = 0, half_v = 0, half_z = 0;
};

/// An ellipsoid full of leaves that move. A ray ends in it after a way that is exponential, with mean
/// `way_m`. Every ray draws its own way from its bits, so one ray always ends at one place.
struct Foliage {
  Ellipsoid extent;
  double way_m = 1;
  std::uint64_t seed = 0;
};

using Solid = std::variant<Box, Cylinder, Crown, Ellipsoid, Foliage>;

/// Returns the distance to the first hit with t > 0, or kNoHit. The ray begins outside.
double hit(const Box& box, const Ray& ray);
double hit(const Cylinder& cylinder, const Ray& ray);
double hit(const Crown& crown, const Ray& ray);
double hit(const Ellipsoid& ellipsoid, const Ray& ray);
double hit(const Foliage& foliage, const Ray& ray);
double hit(const Solid& solid, const Ray& ray);

Footprint footprint(const Solid& solid);

struct Heights {
  double z0 = 0, z1 = 0;
};
Heights heights(const Solid& solid);

}  // namespace ndt::harness::town
