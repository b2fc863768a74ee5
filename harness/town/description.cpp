#include "town/description.hpp"

#include <fmt/format.h>

namespace ndt::harness::town {
namespace {

constexpr std::string_view kTemplate = R"(# Written by ndt-bench generate town.
format = 1
name = "{name}"
description = "{description}"
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

[odometry]
file = "odometry.tum"

[gnss]
file = "gnss.tum"

[guess]
kind = "noise"
seed = 1
count = 1
xy_sigma_m = {guess_m:.1f}
z_sigma_m = 0.05
roll_pitch_sigma_deg = 0.5
yaw_sigma_deg = {guess_deg:.1f}

[preparation.scan]
voxel_leaf_m = 1.0

[provenance]
licence = "Apache-2.0"
source = "generated: {source}"
obtain = "ndt-bench generate town --scale {scale} --seed {seed}{options} --out DIR"
)";

std::string source(const TownPlan& plan, const TownOptions& options) {
  const auto beams = [](const LidarModel& lidar) {
    return fmt::format("{} beams, {} azimuths", lidar.beams, lidar.azimuths);
  };
  std::string text = fmt::format("{}, range noise 2 cm; map of a second drive{}, 0.2 m leaves",
                                 beams(plan.lidar), plan.map_lidar ? " with " + beams(*plan.map_lidar) : "");
  if (plan.traffic || options.traffic) text += "; vehicles that move, and are not in the map";
  if (options.distortion)
    text +=
        "; a sweep lasts 0.1 s, and each point is in the sensor's frame of its own time: t + 0.1 s * (a / "
        "360 - 0.5), "
        "a being its azimuth in degrees from ahead to the left, 0 to 360, and t the scan's time";
  return text;
}

}  // namespace

std::string dataset_name(const TownPlan& plan, const TownOptions& options) {
  std::string name = plan.name;
  if (options.traffic) name += "_traffic";
  if (options.distortion) name += "_distorted";
  if (options.seed != 1) name += fmt::format("_seed{}", options.seed);
  return name;
}

std::string dataset_toml(const TownPlan& plan, const TownOptions& options) {
  const bool astray = plan.jump.has_value();  // who is carried off does not know where it begins, either
  return fmt::format(kTemplate, fmt::arg("name", dataset_name(plan, options)),
                     fmt::arg("description", plan.description), fmt::arg("guess_m", astray ? 6.0 : 0.3),
                     fmt::arg("guess_deg", astray ? 60.0 : 2.0), fmt::arg("source", source(plan, options)),
                     fmt::arg("scale", town_scale_name(options.scale)), fmt::arg("seed", options.seed),
                     fmt::arg("options", std::string(options.traffic ? " --traffic" : "") +
                                             (options.distortion ? " --distortion" : "")));
}

}  // namespace ndt::harness::town
