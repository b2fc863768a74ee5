#include <fmt/format.h>

#include "cli/common/print.hpp"

namespace ndt::harness {

using json = nlohmann::ordered_json;

json to_json(const AnywhereAnswer& answer) {
  const initial_pose::PlaceRegion& region = answer.region;
  const initial_pose::PlacesFound& coarse = answer.coarse;
  json j;
  j["box_m"] = {region.low.x, region.low.y, region.low.z, region.high.x, region.high.y, region.high.z};
  j["height_from_map"] = region.height_from_map && coarse.ground_below_m;
  j["sensor_height_m"] = coarse.ground_below_m ? json(*coarse.ground_below_m) : json();
  j["heading_within_rad"] = region.heading_rad;
  j["mounting"] = to_string(answer.mounting);
  j["cell_m"] = answer.cell_m;
  j["lattice_poses"] = coarse.lattice;
  j["headings"] = coarse.headings;
  j["coverage"] = coarse.coverage;
  j["on"] = answer.on_device ? "device" : "threads";
  j["pyramid_bytes"] = answer.pyramid_bytes;
  j["pyramid_kept"] = answer.pyramid_kept;
  j["pyramid_us"] = answer.pyramid_us;
  j["coarse_us"] = answer.coarse_us;
  j["places"] = json::array();
  for (const initial_pose::Place& place : coarse.places)
    j["places"].push_back({{"xyz_m", {place.pose.x, place.pose.y, place.pose.z}},
                           {"rpy_rad", {place.pose.roll, place.pose.pitch, place.pose.yaw}},
                           {"score", place.score}});
  return j;
}

std::string to_text(const AnywhereAnswer& answer) {
  const initial_pose::PlacesFound& coarse = answer.coarse;
  std::string text = fmt::format(
      "prior            {}: {:.3g} poses, {:g} m apart, {} headings; {:.1f} % of them searched or excluded\n",
      to_string(answer.kind), coarse.lattice, answer.cell_m, coarse.headings, 100 * coarse.coverage);
  text += fmt::format("places           {} with coarse scores from {:.3f} to {:.3f}; ", coarse.places.size(),
                      coarse.places.front().score, coarse.places.back().score);
  text += coarse.ground_below_m
              ? fmt::format("the sensor is about {:.1f} m above its ground\n", *coarse.ground_below_m)
              : "the scan shows no ground\n";
  if (answer.mounting == Mounting::upside_down)
    text += "mounting         upside down: the search for a level scanner found no reliable pose\n";
  return text + fmt::format("place pyramid    {:.1f} MB, {} in {:.3f} ms; places found in {:.3f} ms{}\n",
                            static_cast<double>(answer.pyramid_bytes) * 1e-6,
                            answer.pyramid_kept ? "kept, read" : "built", answer.pyramid_us / 1000,
                            answer.coarse_us / 1000, answer.on_device ? " on the device" : "");
}

}  // namespace ndt::harness
