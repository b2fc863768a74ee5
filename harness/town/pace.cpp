#include "town/pace.hpp"

#include <algorithm>
#include <cmath>

#include "town/exact.hpp"

namespace ndt::harness::town {
namespace {

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

std::vector<ScanStop> scan_stops(const TownPlan& plan, const Drive& drive) {
  return plan.car ? driven(*plan.car, plan.jump, drive) : evenly(plan.scan_step_m, drive.length_m());
}

}  // namespace ndt::harness::town
