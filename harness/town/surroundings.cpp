#include "town/surroundings.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "town/front.hpp"
#include "town/lidar.hpp"

namespace ndt::harness::town {
namespace {

Footprint bounds(const std::vector<Place>& places) {
  Footprint b{places[0].x, places[0].y, places[0].x, places[0].y};
  for (const Place& p : places)
    b = {std::min(b.x0, p.x), std::min(b.y0, p.y), std::max(b.x1, p.x), std::max(b.y1, p.y)};
  return b;
}

/// Between two numbers in whole millimetres.
double millimetres_between(IntegerRandom& random, double least, double most) {
  const std::int64_t steps = whole_below((most - least) * 1000) + 1;
  return least + static_cast<double>(random.below(steps)) / 1000;
}

Box upright(double x, double y, double half_x, double half_y, double z0, double z1) {
  return {
      .x = x, .y = y, .heading = {}, .half_u = half_x, .half_v = half_y, .z0 = z0, .z1 = z1, .windows = {}};
}

/// Whether a place is within 6 m of the straight lines between the corners.
bool on_the_way(const std::vector<Place>& corners, const Place& at) {
  constexpr double kFree = 6;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const Footprint leg = bounds({corners[i - 1], corners[i]});
    if (at.x > leg.x0 - kFree && at.x < leg.x1 + kFree && at.y > leg.y0 - kFree && at.y < leg.y1 + kFree)
      return true;
  }
  return false;
}

void plant_tree(std::vector<Solid>& solids, IntegerRandom& random, const Vec3<double>& foot) {
  const double trunk = millimetres_between(random, 1.5, 3), radius = millimetres_between(random, 1.5, 3);
  const double half_height = millimetres_between(random, 1.5, 3);
  const auto seed = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 32));
  solids.push_back(Cylinder{foot.x, foot.y, 0.2, foot.z - 0.5, foot.z + trunk + half_height});
  solids.push_back(
      Crown{{foot.x, foot.y, foot.z + trunk + half_height}, radius, half_height, scattered(seed), 80});
}

/// A tree, a post or a hut.
void plant(std::vector<Solid>& solids, IntegerRandom& random, const Vec3<double>& foot) {
  const std::int64_t kind = random.below(5);
  if (kind < 2) {
    plant_tree(solids, random, foot);
  } else if (kind < 4) {
    const double height = millimetres_between(random, 1.2, 6);
    solids.push_back(Cylinder{foot.x, foot.y, 0.12, foot.z - 0.5, foot.z + height});
  } else {
    const double half_x = millimetres_between(random, 1, 3), half_y = millimetres_between(random, 1, 3);
    const double height = millimetres_between(random, 2, 3.5);
    Box hut = upright(foot.x, foot.y, half_x, half_y, foot.z - 1, foot.z + height);
    hut.heading = heading_of(millimetres_between(random, 0, 0.4));
    solids.push_back(hut);
  }
}

}  // namespace

World streets_around(const std::vector<Place>& corners, std::uint64_t seed) {
  constexpr Streets kStreets;
  const Blocks blocks = blocks_around(kStreets, bounds(corners), Lidar::kFarthest);
  std::uint64_t part = 0;
  Ground ground(block_area(kStreets, blocks), kStreets, seed_of(seed, part++));
  std::vector<Solid> solids;
  for (int row = blocks.first_row; row < blocks.last_row; ++row)
    for (int column = blocks.first_column; column < blocks.last_column; ++column)
      for (int side = 0; side < 4; ++side)
        Front(ground, kStreets.block(column, row), side, seed_of(seed, part++)).furnish(solids);
  return {std::move(ground), std::move(solids)};
}

World tunnel_on(const std::vector<Place>& corners, std::uint64_t seed) {
  constexpr double kHalfWidth = 5, kHeight = 6, kRockM = 25, kTopM = 9, kClearM = 4;
  constexpr double kMiddle = (kTunnelBeginM + kTunnelEndM) / 2,
                   kHalfLength = (kTunnelEndM - kTunnelBeginM) / 2;
  const Footprint area = open_area(bounds(corners), Lidar::kFarthest);
  Ground ground(area, std::nullopt);
  std::vector<Solid> solids;
  for (const double side : {-1.0, 1.0})
    solids.push_back(upright(kMiddle, side * (kHalfWidth + kRockM / 2), kHalfLength, kRockM / 2, -1, kTopM));
  solids.push_back(upright(kMiddle, 0, kHalfLength, kHalfWidth, kHeight, kTopM));
  std::uint64_t part = 0;
  for (const auto& [from, to] :
       {std::pair(area.x0, kTunnelBeginM - kClearM), std::pair(kTunnelEndM + kClearM, area.x1)}) {
    const Footprint left{from, Streets::kHalfWidth, to, area.y1},
        right{from, area.y0, to, -Streets::kHalfWidth};
    Front(ground, left, 0, seed_of(seed, part++)).furnish(solids);
    Front(ground, right, 2, seed_of(seed, part++)).furnish(solids);
  }
  return {std::move(ground), std::move(solids)};
}

World field_around(const std::vector<Place>& corners, std::uint64_t seed) {
  constexpr double kMargin = 10, kAreaEachM2 = 2000;
  const Footprint area = open_area(bounds(corners), Lidar::kFarthest);
  Ground ground(area, seed_of(seed, 0));
  IntegerRandom random(seed_of(seed, 1));
  std::vector<Solid> solids;
  for (auto left = whole_below((area.x1 - area.x0) * (area.y1 - area.y0) / kAreaEachM2); left > 0;) {
    const double x = millimetres_between(random, area.x0 + kMargin, area.x1 - kMargin);
    const double y = millimetres_between(random, area.y0 + kMargin, area.y1 - kMargin);
    if (on_the_way(corners, {x, y})) continue;
    plant(solids, random, {x, y, ground.hill(x, y)});
    --left;
  }
  return {std::move(ground), std::move(solids)};
}

}  // namespace ndt::harness::town
