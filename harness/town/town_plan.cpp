#include "town/town_plan.hpp"

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "town/front.hpp"

namespace ndt::harness {
namespace {

constexpr std::array<const char*, 4> kScales = {"small", "standard", "drive", "large"};

}  // namespace

TownScale town_scale(std::string_view name) {
  const auto scale = std::ranges::find(kScales, name);
  if (scale != kScales.end()) return static_cast<TownScale>(scale - kScales.begin());
  throw unknown_name("scale", name, std::vector<std::string>(kScales.begin(), kScales.end()));
}

std::string town_scale_name(TownScale scale) { return kScales[static_cast<std::size_t>(scale)]; }

std::string town_scale_names() {
  std::string names;
  for (const char* name : kScales) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

namespace town {
namespace {

constexpr Streets kStreets;

/// Up and down the streets along x, `rows` of them.
std::vector<Place> serpentine(int rows, double from_x, double to_x) {
  std::vector<Place> corners;
  for (int row = 0; row < rows; ++row) {
    corners.push_back({row % 2 == 0 ? from_x : to_x, row * kStreets.spacing_y});
    corners.push_back({row % 2 == 0 ? to_x : from_x, row * kStreets.spacing_y});
  }
  return corners;
}

Footprint bounds(const std::vector<Place>& places) {
  Footprint b{places[0].x, places[0].y, places[0].x, places[0].y};
  for (const Place& p : places)
    b = {std::min(b.x0, p.x), std::min(b.y0, p.y), std::max(b.x1, p.x), std::max(b.y1, p.y)};
  return b;
}

}  // namespace

TownPlan plan_of(TownScale scale) {
  const double x = kStreets.spacing_x, y = kStreets.spacing_y;
  switch (scale) {
    case TownScale::small:
      return {"town_small",
              "Synthetic town, 40 m around one corner",
              {.beams = 16, .azimuths = 512},
              {{x - 17, 0}, {x, 0}, {x, 20}},
              5,
              1};
    case TownScale::standard:
      return {"town",
              "Synthetic town, 330 m through streets with two turns",
              {.beams = 64, .azimuths = 1024},
              {{20, 0}, {x, 0}, {x, y}, {260, y}},
              5,
              1.25};
    case TownScale::drive:
      return {"town_drive",
              "Synthetic town, 330 m through streets with two turns, 10 scans a second on a car",
              {.beams = 64, .azimuths = 512},
              {{20, 0}, {x, 0}, {x, y}, {260, y}},
              5,
              1.25,
              CarPace{}};
    case TownScale::large: break;
  }
  return {"town_large",
          "Synthetic town, 4.8 km up and down its streets",
          {.beams = 64, .azimuths = 1024},
          serpentine(7, 0, 5 * x),
          10,
          1.5};
}

World build_world(const TownPlan& plan, std::uint64_t seed) {
  const Blocks blocks = blocks_around(kStreets, bounds(plan.corners), Lidar::kFarthest);
  std::uint64_t part = 0;
  Ground ground(block_area(kStreets, blocks), kStreets, seed_of(seed, part++));
  std::vector<Solid> solids;
  for (int row = blocks.first_row; row < blocks.last_row; ++row)
    for (int column = blocks.first_column; column < blocks.last_column; ++column)
      for (int side = 0; side < 4; ++side)
        Front(ground, kStreets.block(column, row), side, seed_of(seed, part++)).furnish(solids);
  return {std::move(ground), std::move(solids)};
}

Drive scan_drive(const TownPlan& plan) { return {plan.corners, Streets::kLane}; }
Drive map_drive(const TownPlan& plan) { return {plan.corners, Streets::kLane - 0.4}; }

MapFrame::MapFrame(const World& world, const TownPlan& plan)
    : origin_{plan.corners[0].x, plan.corners[0].y,
              world.ground().hill(plan.corners[0].x, plan.corners[0].y)} {}

Transform MapFrame::map_from_sensor(const Transform& world_from_sensor) const {
  constexpr Heading kTurn{12.0 / 13, 5.0 / 13};
  const Mat3<double> turn{{kTurn.c, -kTurn.s, 0, kTurn.s, kTurn.c, 0, 0, 0, 1}};
  return make_transform(turn * rotation_of(world_from_sensor),
                        turn * (translation_of(world_from_sensor) - origin_));
}

}  // namespace town
}  // namespace ndt::harness
