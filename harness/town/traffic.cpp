#include "town/traffic.hpp"

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

constexpr double kOncomingMS = 8;

std::vector<Place> reversed(const std::vector<Place>& corners) { return {corners.rbegin(), corners.rend()}; }

Box part(const Drive::Stop& stop, double ground, double half_u, double half_v, double z0, double z1) {
  return {.x = stop.place.x,
          .y = stop.place.y,
          .heading = stop.heading,
          .half_u = half_u,
          .half_v = half_v,
          .z0 = ground + z0,
          .z1 = ground + z1,
          .windows = {}};
}

void add_vehicle(std::vector<Solid>& solids, const Ground& ground, const Drive::Stop& stop, bool lorry) {
  const double height = ground.hill(stop.place.x, stop.place.y);
  if (lorry) {
    solids.push_back(part(stop, height, 4.2, 1.25, 0.4, 3.4));
    return;
  }
  solids.push_back(part(stop, height, 2.2, 0.89, 0.2, 0.88));
  solids.push_back(part(stop, height, 1.2, 0.75, 0.88, 1.5));
}

}  // namespace

Traffic::Traffic(const TownPlan& plan, double until_s, std::uint64_t seed)
    : with_(scan_drive(plan)), against_(reversed(plan.corners), Streets::kLane) {
  IntegerRandom random(seed);
  const auto metres = [&](std::int64_t least, std::int64_t most) {
    return static_cast<double>(least + random.below(most - least + 1));
  };
  const auto is_lorry = [&] { return random.below(4) == 0; };
  const double ahead = metres(10, 16);
  const double farther = ahead + metres(14, 30);
  const double behind = -metres(10, 16);
  for (const double offset : {ahead, farther, behind}) companions_.push_back({offset, is_lorry()});
  for (double offset = -kOncomingMS * until_s; offset < against_.length_m(); offset += metres(25, 60))
    oncoming_.push_back({offset, is_lorry()});
}

std::vector<Solid> Traffic::at(const Ground& ground, double time_s, double along_m) const {
  std::vector<Solid> solids;
  const auto add = [&](const Drive& drive, const Vehicle& vehicle, double at_m) {
    if (at_m >= 0 && at_m <= drive.length_m()) add_vehicle(solids, ground, drive.at(at_m), vehicle.lorry);
  };
  for (const Vehicle& vehicle : companions_) add(with_, vehicle, along_m + vehicle.offset_m);
  for (const Vehicle& vehicle : oncoming_) add(against_, vehicle, vehicle.offset_m + kOncomingMS * time_s);
  return solids;
}

}  // namespace ndt::harness::town
