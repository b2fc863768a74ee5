#include "town/solids.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

/// The part of a ray between pairs of planes, and the axis of the plane through which it enters.
struct Stretch {
  double enter = 0, leave = kNoHit;
  int axis = -1;

  /// Keeps what has lo <= from + t * along <= hi.
  void keep(int of_axis, double from, double along, double lo, double hi) {
    if (along == 0) {
      if (from < lo || from > hi) leave = -1;
      return;
    }
    double first = (lo - from) / along, second = (hi - from) / along;
    if (first > second) std::swap(first, second);
    if (first > enter) {
      enter = first;
      axis = of_axis;
    }
    leave = std::min(leave, second);
  }
  bool empty() const { return leave <= enter; }
};

/// `v` in axes turned by `heading`.
Vec3<double> turned(const Heading& heading, const Vec3<double>& v) {
  return {heading.c * v.x + heading.s * v.y, heading.c * v.y - heading.s * v.x, v.z};
}

/// The part of a ray inside a ball.
struct Chord {
  double enter, leave;
};

/// Returns nothing where the ray begins in the ball about the origin or does not meet it. `along` may have
/// any length.
std::optional<Chord> chord_of(double radius, const Vec3<double>& from, const Vec3<double>& along) {
  const double a = dot(along, along), b = dot(from, along), c = dot(from, from) - radius * radius;
  const double square = b * b - a * c;
  if (b >= 0 || c <= 0 || square <= 0) return std::nullopt;
  const double root = std::sqrt(square);
  return Chord{(-b - root) / a, (-b + root) / a};
}

std::optional<Chord> chord_of(const Ellipsoid& e, const Ray& ray) {
  const auto in_radii = [&e](const Vec3<double>& v) {
    const Vec3<double> own = turned(e.heading, v);
    return Vec3<double>{own.x / e.half_u, own.y / e.half_v, own.z / e.half_z};
  };
  return chord_of(1, in_radii(ray.from - e.centre), in_radii(ray.along));
}

/// How far behind the wall the ray is stopped if it meets a window, else 0. `along` and `up`: where the wall
/// is met, from its one end and above base_z; the wall is 2 * half long. `inward` is the ray's speed into the
/// wall.
double behind_window(const Windows& w, double half, double along, double up, double inward, double d_along,
                     double d_up) {
  const double columns = static_cast<double>(whole_below(2 * half / w.pitch_m));
  const double margin = half - columns * w.pitch_m / 2;
  const auto column = static_cast<double>(whole_below((along - margin) / w.pitch_m));
  const auto storey = static_cast<double>(whole_below(up / w.storey_m));
  if (column < 0 || column >= columns || storey < 0 || storey >= w.storeys) return 0;
  const double left = margin + column * w.pitch_m + (w.pitch_m - w.width_m) / 2;
  const double bottom = storey * w.storey_m + w.sill_m;
  if (along <= left || along >= left + w.width_m || up <= bottom || up >= bottom + w.height_m) return 0;
  Stretch niche;  // the ray is in it from t = 0 on
  niche.keep(0, 0, inward, 0, w.recess_m);
  niche.keep(1, along, d_along, left, left + w.width_m);
  niche.keep(2, up, d_up, bottom, bottom + w.height_m);
  return niche.leave;
}

}  // namespace

double hit(const Box& box, const Ray& ray) {
  const Vec3<double> from = turned(box.heading, {ray.from.x - box.x, ray.from.y - box.y, ray.from.z});
  const Vec3<double> along = turned(box.heading, ray.along);
  Stretch inside;
  inside.keep(0, from.x, along.x, -box.half_u, box.half_u);
  inside.keep(1, from.y, along.y, -box.half_v, box.half_v);
  inside.keep(2, from.z, along.z, box.z0, box.z1);
  if (inside.empty() || inside.enter <= 0) return kNoHit;
  if (box.windows.pitch_m == 0 || inside.axis == 2) return inside.enter;

  const Vec3<double> p = from + inside.enter * along;
  const double up = p.z - box.windows.base_z;
  const double behind =
      inside.axis == 0
          ? behind_window(box.windows, box.half_v, p.y + box.half_v, up, std::abs(along.x), along.y, along.z)
          : behind_window(box.windows, box.half_u, p.x + box.half_u, up, std::abs(along.y), along.x, along.z);
  return inside.enter + behind;
}

double hit(const Cylinder& cylinder, const Ray& ray) {
  const double dx = ray.from.x - cylinder.x, dy = ray.from.y - cylinder.y;
  const auto chord = chord_of(cylinder.radius, {dx, dy, 0}, {ray.along.x, ray.along.y, 0});
  if (!chord) return kNoHit;
  const double z = ray.from.z + chord->enter * ray.along.z;
  return z < cylinder.z0 || z > cylinder.z1 ? kNoHit : chord->enter;
}

double hit(const Crown& crown, const Ray& ray) {
  constexpr double kClump = 0.35, kStep = 0.25;
  const double flat = crown.radius / crown.half_height;  // makes a sphere of the ellipsoid
  const Vec3<double> from = ray.from - crown.centre;
  const auto chord =
      chord_of(crown.radius, {from.x, from.y, from.z * flat}, {ray.along.x, ray.along.y, ray.along.z * flat});
  if (!chord) return kNoHit;
  for (double t = chord->enter; t < chord->leave; t += kStep) {
    const Vec3<double> at = ray.at(t);
    std::uint64_t bits = crown.seed;
    for (const double coordinate : {at.x, at.y, at.z})
      bits = seed_of(bits, static_cast<std::uint64_t>(whole_below(coordinate / kClump)));
    if (bits % 256 < crown.filled) return t;
  }
  return kNoHit;
}

double hit(const Ellipsoid& ellipsoid, const Ray& ray) {
  const auto chord = chord_of(ellipsoid, ray);
  return chord ? chord->enter : kNoHit;
}

double hit(const Foliage& foliage, const Ray& ray) {
  const auto chord = chord_of(foliage.extent, ray);
  if (!chord) return kNoHit;
  std::uint64_t bits = foliage.seed;
  for (const Vec3<double>& v : {ray.from, ray.along})
    for (const double coordinate : {v.x, v.y, v.z})
      bits = seed_of(bits, std::bit_cast<std::uint64_t>(coordinate));
  IntegerRandom random(bits);
  const double t = chord->enter + foliage.way_m * exponential_number(random);
  return t < chord->leave ? t : kNoHit;
}

double hit(const Solid& solid, const Ray& ray) {
  return std::visit([&ray](const auto& shape) { return hit(shape, ray); }, solid);
}

namespace {

Footprint around(double x, double y, double half_x, double half_y) {
  return {x - half_x, y - half_y, x + half_x, y + half_y};
}
Footprint footprint_of(const Box& b) {
  const double c = std::abs(b.heading.c), s = std::abs(b.heading.s);
  return around(b.x, b.y, c * b.half_u + s * b.half_v, s * b.half_u + c * b.half_v);
}
Footprint footprint_of(const Ellipsoid& e) {
  const double cu = e.heading.c * e.half_u, su = e.heading.s * e.half_u;
  const double cv = e.heading.c * e.half_v, sv = e.heading.s * e.half_v;
  return around(e.centre.x, e.centre.y, std::sqrt(cu * cu + sv * sv), std::sqrt(su * su + cv * cv));
}
Footprint footprint_of(const Foliage& f) { return footprint_of(f.extent); }
Footprint footprint_of(const Cylinder& c) { return around(c.x, c.y, c.radius, c.radius); }
Footprint footprint_of(const Crown& c) { return around(c.centre.x, c.centre.y, c.radius, c.radius); }

Heights heights_of(const Box& b) { return {b.z0, b.z1}; }
Heights heights_of(const Cylinder& c) { return {c.z0, c.z1}; }
Heights heights_of(const Crown& c) { return {c.centre.z - c.half_height, c.centre.z + c.half_height}; }
Heights heights_of(const Ellipsoid& e) { return {e.centre.z - e.half_z, e.centre.z + e.half_z}; }
Heights heights_of(const Foliage& f) { return heights_of(f.extent); }

}  // namespace

Footprint footprint(const Solid& solid) {
  return std::visit([](const auto& shape) { return footprint_of(shape); }, solid);
}

Heights heights(const Solid& solid) {
  return std::visit([](const auto& shape) { return heights_of(shape); }, solid);
}

}  // namespace ndt::harness::town
