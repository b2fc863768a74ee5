#include "town/town_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "town/exact.hpp"
#include "town/landscapes.hpp"
#include "town/surroundings.hpp"

namespace ndt::harness {
namespace {

constexpr std::array<const char*, 13> kScales = {"small",   "standard", "drive",    "large",  "long",
                                                 "tunnel",  "field",    "junction", "kidnap", "park",
                                                 "oldtown", "works",    "woods"};

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
constexpr LidarModel kFine{.beams = 64, .azimuths = 1024}, kUsual{.beams = 64, .azimuths = 512},
    kCoarse{.beams = 32, .azimuths = 512}, kPoor{.beams = 16, .azimuths = 512};
constexpr double kX = kStreets.spacing_x, kY = kStreets.spacing_y;

/// Up and down the streets along x, `rows` of them.
std::vector<Place> serpentine(int rows, double from_x, double to_x) {
  std::vector<Place> corners;
  for (int row = 0; row < rows; ++row) {
    corners.push_back({row % 2 == 0 ? from_x : to_x, row * kY});
    corners.push_back({row % 2 == 0 ? to_x : from_x, row * kY});
  }
  return corners;
}

/// Through two crossings: left, then right.
std::vector<Place> three_streets() { return {{20, 0}, {kX, 0}, {kX, kY}, {260, kY}}; }

TownPlan with_a_car(TownPlan plan) {
  plan.car = CarPace{};
  return plan;
}

TownPlan junction_plan() {
  TownPlan plan{"junction_drive",
                "Synthetic town, a left turn at a crossing among moving vehicles, 10 scans a second",
                kUsual,
                {{kX - 60, 0}, {kX, 0}, {kX, 60}},
                5,
                1.25};
  plan.traffic = true;
  return plan;
}

TownPlan tunnel_plan() {
  TownPlan plan{"tunnel_drive",
                "Synthetic: 460 m along a road, 300 m of them in a plain tunnel, 10 scans a second",
                kUsual,
                {{0, 0}, {460, 0}},
                5,
                1.25};
  plan.surroundings = Surroundings::tunnel;
  plan.outages = Outages::none;
  return plan;
}

TownPlan field_plan() {
  TownPlan plan{"field_drive",
                "Synthetic: 250 m over an open field with a few trees, posts and huts, 10 scans a second",
                kUsual,
                {{0, 0}, {150, 0}, {150, 100}},
                5,
                1.25};
  plan.surroundings = Surroundings::field;
  return plan;
}

/// Mapped with 64 beams, so that the map has more than 10 M points.
TownPlan long_plan() {
  TownPlan plan{"town_long", "Synthetic town, 4.8 km up and down its streets, 10 scans a second on a car",
                kCoarse,     serpentine(7, 0, 5 * kX),
                10,          1.5};
  plan.map_lidar = kUsual;
  return plan;
}

TownPlan kidnap_plan() {
  TownPlan plan{
      "kidnap_drive",
      "Synthetic town, 10 scans a second; begins metres from its guess, and is carried 47 m around a "
      "corner midway",
      kPoor,
      {{kX - 60, 0}, {kX, 0}, {kX, kY}},
      5,
      1.25};
  plan.jump = Jump{.from_m = 40, .to_m = 100};
  return plan;
}

/// 14 scans for the map, 3.1 m apart, and 6 scans on the other side of the way.
TownPlan landscape_plan(const char* name, const char* description, Surroundings surroundings,
                        double noise_m) {
  constexpr double kLowest = -0.21256, kHighest = 0.06993;  // 24 degrees below the horizon, 8 above
  TownPlan plan{name,
                description,
                {.beams = 48,
                 .azimuths = 900,
                 .noise_m = noise_m,
                 .farthest_m = 80,
                 .lowest = kLowest,
                 .upwards = kHighest - kLowest},
                {{0, 0}, {46, 0}},
                8.5,
                3.1};
  plan.surroundings = surroundings;
  plan.scan_lane_m = -0.8;
  plan.map_lane_m = 0.9;
  plan.guesses = 3;
  plan.turned_by_seed = true;
  return plan;
}

constexpr double kScanPeriodS = 0.5;  // between scans of a plan without a car

std::vector<ScanStop> evenly(double step_m, double length_m) {
  std::vector<ScanStop> stops;
  const auto count = static_cast<int>(whole_below(length_m / step_m)) + 1;
  for (int i = 0; i < count; ++i) stops.push_back({.time_s = kScanPeriodS * i, .along_m = i * step_m});
  return stops;
}

/// The fastest that a car may be here, so that it can slow down for every turn ahead.
double speed_limit(const CarPace& car, const std::vector<Drive::Stretch>& turns, double at_m) {
  double limit = car.straight_m_s;
  for (const Drive::Stretch& turn : turns) {
    if (at_m >= turn.end_m) continue;
    const double ahead_m = std::max(0.0, turn.begin_m - at_m);
    limit = std::min(limit, std::sqrt(car.turn_m_s * car.turn_m_s + 2 * car.braking_m_s2 * ahead_m));
  }
  return limit;
}

std::vector<ScanStop> driven(const CarPace& car, std::optional<Jump> jump, const Drive& drive) {
  constexpr int kSubsteps = 10;  // so that it does not run into a turn between two scans
  const std::vector<Drive::Stretch> turns = drive.turn_stretches();
  const double length_m = drive.length_m(), dt = car.period_s / kSubsteps;
  std::vector<ScanStop> stops;
  double at_m = 0, speed = 0;
  bool carried = false;
  for (int scan = 0; at_m <= length_m; ++scan) {
    stops.push_back({car.period_s * scan, at_m, speed, carried});
    for (int k = 0; k < kSubsteps; ++k) {
      speed = std::min(speed + car.accelerating_m_s2 * dt, speed_limit(car, turns, at_m));
      at_m += speed * dt;
    }
    carried = jump && at_m >= jump->from_m;
    if (!carried) continue;
    at_m = jump->to_m;
    jump.reset();
  }
  return stops;
}

}  // namespace

TownPlan plan_of(TownScale scale) {
  switch (scale) {
    case TownScale::small:
      return {"town_small",
              "Synthetic town, 40 m around one corner",
              kPoor,
              {{kX - 17, 0}, {kX, 0}, {kX, 20}},
              5,
              1};
    case TownScale::standard:
      return {"town", "Synthetic town, 330 m through streets with two turns", kFine, three_streets(), 5,
              1.25};
    case TownScale::drive:
      return with_a_car({"town_drive",
                         "Synthetic town, 330 m through streets with two turns, 10 scans a second on a car",
                         kUsual, three_streets(), 5, 1.25});
    case TownScale::long_drive: return with_a_car(long_plan());
    case TownScale::tunnel: return with_a_car(tunnel_plan());
    case TownScale::field: return with_a_car(field_plan());
    case TownScale::junction: return with_a_car(junction_plan());
    case TownScale::kidnap: return with_a_car(kidnap_plan());
    case TownScale::park:
      return landscape_plan("park", "Synthetic park: trees, bushes and low walls on hills and rough ground",
                            Surroundings::park, 0.02);
    case TownScale::oldtown:
      return landscape_plan("oldtown", "Synthetic old town: crooked fronts with sills, round towers, cars",
                            Surroundings::oldtown, 0.01);
    case TownScale::works:
      return landscape_plan("works", "Synthetic works: tanks, spheres and pipes, few boxes",
                            Surroundings::works, 0.03);
    case TownScale::woods:
      return landscape_plan("woods", "Synthetic woods: 160 trunks, crowns and undergrowth on rough ground",
                            Surroundings::woods, 0.02);
    case TownScale::large: break;
  }
  return {"town_large", "Synthetic town, 4.8 km up and down its streets", kFine, serpentine(7, 0, 5 * kX), 10,
          1.5};
}

World build_world(const TownPlan& plan, std::uint64_t seed) {
  switch (plan.surroundings) {
    case Surroundings::tunnel: return tunnel_on(plan.corners, seed);
    case Surroundings::field: return field_around(plan.corners, seed);
    case Surroundings::park: return park_around(plan.corners, seed);
    case Surroundings::oldtown: return oldtown_around(plan.corners, seed);
    case Surroundings::works: return works_around(plan.corners, seed);
    case Surroundings::woods: return woods_around(plan.corners, seed);
    case Surroundings::streets: break;
  }
  return streets_around(plan.corners, seed);
}

Drive scan_drive(const TownPlan& plan) { return {plan.corners, plan.scan_lane_m}; }
Drive map_drive(const TownPlan& plan) { return {plan.corners, plan.map_lane_m}; }

std::vector<ScanStop> scan_stops(const TownPlan& plan, const Drive& drive) {
  return plan.car ? driven(*plan.car, plan.jump, drive) : evenly(plan.scan_step_m, drive.length_m());
}

MapFrame::MapFrame(const World& world, const TownPlan& plan, std::uint64_t seed)
    : origin_{plan.corners[0].x, plan.corners[0].y,
              world.ground().hill(plan.corners[0].x, plan.corners[0].y)} {
  if (!plan.turned_by_seed) return;
  IntegerRandom random(seed);
  turn_ = heading_of(between(random, 0.0875, 0.839));  // 10 to 80 degrees
  for (double* coordinate : {&origin_.x, &origin_.y, &origin_.z}) *coordinate += between(random, -3, 3);
}

Transform MapFrame::map_from_sensor(const Transform& world_from_sensor) const {
  const Mat3<double> turn{{turn_.c, -turn_.s, 0, turn_.s, turn_.c, 0, 0, 0, 1}};
  return make_transform(turn * rotation_of(world_from_sensor),
                        turn * (translation_of(world_from_sensor) - origin_));
}

}  // namespace town
}  // namespace ndt::harness
