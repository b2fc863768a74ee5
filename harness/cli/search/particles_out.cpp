#include "cli/search/particles_out.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "base/errors.hpp"
#include "localize/particle_file.hpp"
#include "ndt/io/cloud_output.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Particle;
using initial_pose::SearchResult;

/// Viewers stop at what is no number.
double shown(double value) { return std::isfinite(value) ? value : 0; }

void write_ply(std::ostream& out, const SearchResult& result) {
  out << "ply\nformat ascii 1.0\ncomment particles of a search for the initial pose; metres, radians\n"
      << fmt::format("element vertex {}\n", result.particles.size());
  for (const char* name : {"x", "y", "z", "roll", "pitch", "yaw", "nvtl", "transform_probability", "start_x",
                           "start_y", "start_z", "start_yaw"})
    out << fmt::format("property double {}\n", name);
  out << "property uchar best\nend_header\n";
  for (std::size_t k = 0; k < result.particles.size(); ++k) {
    const Particle& particle = result.particles[k];
    const Pose &start = particle.start, end = principal(derivative_pose(particle.result.map_from_scan));
    out << fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}\n", end.x, end.y, end.z, end.roll, end.pitch,
                       end.yaw, shown(particle.result.nvtl), shown(particle.result.transform_probability),
                       start.x, start.y, start.z, start.yaw, k == result.best ? 1 : 0);
  }
}

void write_json(std::ostream& out, const SearchResult& result) {
  nlohmann::ordered_json json = {{"best", result.best}, {"particles", nlohmann::ordered_json::array()}};
  for (const Particle& particle : result.particles) json["particles"].push_back(particle_json(particle));
  out << json.dump() << '\n';
}

}  // namespace

void require_particle_file(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending != ".ply" && ending != ".json")
    throw UsageError(
        fmt::format("--particles-out {}: the name must end in .ply or .json", printable_name(file)));
}

void write_particles(const std::filesystem::path& file, const SearchResult& result) {
  write_file(file, [&](std::ostream& out) {
    file.extension() == ".ply" ? write_ply(out, result) : write_json(out, result);
  });
}

}  // namespace ndt::harness
