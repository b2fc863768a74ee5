// One random number is drawn per statement, because the order in which arguments are evaluated is
// unspecified.
#include "town/landscapes.hpp"

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

struct Range {
  double least, most;
};

/// The heights of the long and of the short waves of the ground.
std::vector<Waves::Size> sizes_of(double hills_m, double rough_m) {
  return {{60, 0.8 * hills_m}, {30, 0.35 * hills_m}, {12, 0.08 * hills_m},
          {2, rough_m},        {1.1, rough_m},       {0.6, 0.6 * rough_m}};
}

/// The land around a way along x, and what is put on it.
class Landscape {
 public:
  Landscape(const std::vector<Place>& corners, double hills_m, double rough_m, std::uint64_t seed)
      : from_x(corners.front().x - 37),
        to_x(corners.back().x + 47),
        ground_(open_area({from_x, -kReach, to_x, kReach}, kReach),
                Waves(sizes_of(hills_m, rough_m), seed_of(seed, 0))),
        random_(seed_of(seed, 1)) {}

  double draw(const Range& range) { return between(random_, range.least, range.most); }
  double side() { return random_.below(2) == 0 ? -1 : 1; }
  bool one_in(std::int64_t n) { return random_.below(n) == 0; }
  /// Nearly along x.
  Heading crooked(double sigma) { return heading_of(sigma / 2 * normal_number(random_)); }
  Heading any_heading() { return heading_of(draw({-1, 1})); }

  /// A place on the ground, on either side of the way.
  Vec3<double> foot(const Range& from_way) {
    const double x = draw({from_x, to_x});
    const double left = side();
    return on_ground(x, left * draw(from_way));
  }
  Vec3<double> on_ground(double x, double y) const { return {x, y, ground_.hill(x, y)}; }

  void box(const Vec3<double>& middle, double half_u, double half_v, double half_z, const Heading& heading) {
    solids_.push_back(Box{.x = middle.x,
                          .y = middle.y,
                          .heading = heading,
                          .half_u = half_u,
                          .half_v = half_v,
                          .z0 = middle.z - half_z,
                          .z1 = middle.z + half_z,
                          .windows = {}});
  }
  /// Begins under the ground, which may slope.
  void tube(const Vec3<double>& foot, double radius, double height) {
    solids_.push_back(Cylinder{foot.x, foot.y, radius, foot.z - 1, foot.z + height});
  }
  void ellipsoid(const Vec3<double>& middle, double half_u, double half_v, double half_z,
                 const Heading& heading) {
    solids_.push_back(Ellipsoid{middle, heading, half_u, half_v, half_z});
  }
  /// Leaves around `height` above the foot.
  void leaves(const Vec3<double>& foot, double height, const Range& half_xy, const Range& half_z,
              const Range& way) {
    const double half_x = draw(half_xy), half_y = draw(half_xy), half_height = draw(half_z);
    const double way_m = draw(way);
    const auto seed = static_cast<std::uint64_t>(random_.below(std::int64_t{1} << 32));
    const Vec3<double> middle{foot.x, foot.y, foot.z + height};
    solids_.push_back(Foliage{{middle, {}, half_x, half_y, half_height}, way_m, seed});
  }
  void tubes(int count, const Range& from_way, const Range& radius, const Range& height) {
    for (int k = 0; k < count; ++k) {
      const Vec3<double> at = foot(from_way);
      const double r = draw(radius);
      tube(at, r, draw(height));
    }
  }
  void bushes(int count, const Range& from_way, double height, const Range& half_xy, double half_z) {
    for (int k = 0; k < count; ++k) leaves(foot(from_way), height, half_xy, {half_z, half_z}, {0.1, 0.4});
  }

  World take() { return {std::move(ground_), std::move(solids_)}; }

  const double from_x, to_x;

 private:
  static constexpr double kReach = 55;

  Ground ground_;
  IntegerRandom random_;
  std::vector<Solid> solids_;
};

/// Houses along one side, wall to wall or with gaps.
void add_fronts(Landscape& land, double side) {
  for (double x = land.from_x; x < land.to_x;) {
    const double length = land.draw({6, 14}), half_depth = land.draw({5, 9});
    const double front = land.draw({6.5, 9}), half_height = land.draw({5, 9});
    const double middle = side * (front + half_depth);
    land.box({x + length / 2, middle, 3}, length / 2, half_depth, half_height, land.crooked(0.06));
    for (int k = 0; k < 3; ++k) {  // sills, doors and balconies
      const double along = land.draw({0, length}), up = land.draw({0.8, 5});
      const double half_width = land.draw({0.3, 0.9}), half_out = land.draw({0.1, 0.35});
      const double half_part = land.draw({0.2, 0.9});
      land.box({x + along, side * front, up}, half_width, half_out, half_part, land.crooked(0.06));
    }
    x += length;
    if (land.one_in(3)) x += land.draw({2, 6});
  }
}

}  // namespace

World park_around(const std::vector<Place>& corners, std::uint64_t seed) {
  Landscape land(corners, 0.6, 0.015, seed);
  for (int k = 0; k < 45; ++k) {
    const Vec3<double> foot = land.foot({5, 55});
    const double radius = land.draw({0.12, 0.35}), height = land.draw({2.2, 4});
    land.tube(foot, radius, height + 1);
    land.leaves(foot, height + 1.5, {1.5, 3}, {1.2, 2.5}, {0.6, 1.5});
  }
  land.bushes(25, {3.5, 50}, 0.6, {0.6, 1.5}, 0.8);
  for (int k = 0; k < 6; ++k) {
    Vec3<double> wall = land.foot({11, 30});
    wall.z += 0.5;
    const double half_length = land.draw({3, 8});
    land.box(wall, half_length, 0.2, 0.9, land.any_heading());
  }
  land.tube(land.on_ground(38, -15), 4, 4);
  return land.take();
}

World oldtown_around(const std::vector<Place>& corners, std::uint64_t seed) {
  Landscape land(corners, 0.25, 0.006, seed);
  for (const double side : {-1.0, 1.0}) add_fronts(land, side);
  land.tube(land.on_ground(30, 10), 3.5, 14);
  land.tube(land.on_ground(58, -11), 5, 10);
  for (int k = 0; k < 14; ++k) {
    Vec3<double> car = land.foot({3.9, 5});
    car.z += 0.75;
    land.ellipsoid(car, 2.2, 0.9, 0.75, land.crooked(0.08));
  }
  land.tubes(18, {5, 6}, {0.05, 0.12}, {3, 6});
  for (int k = 0; k < 6; ++k) {
    const Vec3<double> foot = land.foot({4.5, 5.5});
    land.tube(foot, 0.15, 3);
    land.leaves(foot, 4, {1.5, 1.5}, {1.3, 1.3}, {0.8, 0.8});
  }
  return land.take();
}

World works_around(const std::vector<Place>& corners, std::uint64_t seed) {
  Landscape land(corners, 0.08, 0.003, seed);
  land.tubes(10, {13, 40}, {2.5, 8}, {5, 12});
  for (int k = 0; k < 5; ++k) {
    Vec3<double> middle = land.foot({12, 35});
    middle.z += 2.5;
    const double radius = land.draw({2, 4});
    land.ellipsoid(middle, radius, radius, radius, {});
  }
  for (int k = 0; k < 8; ++k) {
    Vec3<double> middle = land.foot({10, 35});
    middle.z += 1.5;
    const double half_u = land.draw({1, 6}), half_v = land.draw({1, 4}), half_z = land.draw({1.5, 4});
    land.box(middle, half_u, half_v, half_z, land.any_heading());
  }
  land.tubes(25, {4, 20}, {0.08, 0.4}, {2, 9});
  return land.take();
}

World woods_around(const std::vector<Place>& corners, std::uint64_t seed) {
  Landscape land(corners, 1, 0.04, seed);
  land.tubes(60, {2.5, 50}, {0.1, 0.3}, {5, 9});
  for (int k = 0; k < 100; ++k) {
    const Vec3<double> foot = land.foot({4.5, 50});
    const double radius = land.draw({0.1, 0.3}), height = land.draw({5, 9});
    land.tube(foot, radius, height);
    const double crown = land.draw({3.5, 6});
    land.leaves(foot, crown, {1, 2.2}, {1, 2}, {0.5, 1.5});
  }
  land.bushes(60, {3.2, 50}, 0.4, {0.4, 1.2}, 0.5);
  return land.take();
}

}  // namespace ndt::harness::town
