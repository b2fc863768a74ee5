#include "town/dataset_toml.hpp"

#include <fmt/format.h>

namespace ndt::harness::town {

std::string dataset_name(const TownPlan& plan, std::uint64_t seed) {
  return seed == 1 ? plan.name : fmt::format("{}_seed{}", plan.name, seed);
}

std::string dataset_toml(const TownPlan& plan, TownScale scale, std::uint64_t seed) {
  return fmt::format(R"(# Written by ndt-bench generate town.
format = 1
name = "{0}"
description = "{1}"
kind = "scan_to_map"
map = "map.pcd"
scans = ["scans/*.pcd"]
resolution_m = 2.0

[truth]
file = "truth.tum"
format = "tum"
quality = "exact: the poses the scans were cast from"
exact = true
accuracy_m = 0.0

[guess]
kind = "noise"
seed = 1
count = 1
xy_sigma_m = 0.3
z_sigma_m = 0.05
roll_pitch_sigma_deg = 0.5
yaw_sigma_deg = 2.0

[preparation.scan]
voxel_leaf_m = 1.0

[provenance]
licence = "Apache-2.0"
source = "generated: {2} beams, {3} azimuths, range noise 2 cm; map of a second drive, 0.2 m leaves"
obtain = "ndt-bench generate town --scale {4} --seed {5} --out DIR"
)",
                     dataset_name(plan, seed), plan.description, plan.lidar.beams, plan.lidar.azimuths,
                     town_scale_name(scale), seed);
}

}  // namespace ndt::harness::town
