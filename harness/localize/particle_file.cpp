#include "localize/particle_file.hpp"

#include <string>

#include "base/json_fields.hpp"

namespace ndt::harness {

using nlohmann::ordered_json;

ordered_json particle_json(const initial_pose::Particle& particle) {
  const Pose &start = particle.start, end = principal(derivative_pose(particle.result.map_from_scan));
  ordered_json j = {{"guess_xyz_m", {start.x, start.y, start.z}},
                    {"guess_rpy_rad", {start.roll, start.pitch, start.yaw}},
                    {"pose_xyz_m", {end.x, end.y, end.z}},
                    {"pose_rpy_rad", {end.roll, end.pitch, end.yaw}},
                    {"nvtl", particle.result.nvtl},
                    {"transform_probability", particle.result.transform_probability},
                    {"stop", std::string(to_string(particle.result.stop))},
                    {"iterations", particle.result.iterations},
                    {"guided", particle.guided},
                    {"role", std::string(to_string(particle.role))}};
  if (particle.result.finish) j["finish"] = json_of(*particle.result.finish);
  return j;
}

void ParticleFile::append(const LocalizedScan& scan) {
  if (!scan.report->recovery) return;
  const localization::Recovered& search = *scan.report->recovery;
  ordered_json j = {{"frame", scan.frame}, {"scan", scan.scan->name}, {"attempt", search.attempt}};
  j["particles"] = ordered_json::array();
  for (const initial_pose::Particle& particle : search.particles)
    j["particles"].push_back(particle_json(particle));
  file_.append(j.dump() + "\n");
}

}  // namespace ndt::harness
