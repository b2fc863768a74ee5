// Every particle of a search as a file, to look at.
#pragma once

#include <filesystem>
#include <string>

#include "ndt/initial_pose/search.hpp"

namespace ndt::harness {

/// Throws UsageError unless the name ends in .ply or .json.
void require_particle_file(const std::string& file);

/// .json: {"best": number, "particles": [as initial-pose --json has them]}. .ply: text, a vertex a particle:
/// where it ended (x y z in metres, roll pitch yaw in radians), nvtl, transform_probability, where it began
/// (start_x start_y start_z start_yaw), and best, which is 1 for the answer. Throws InputError if it cannot
/// be written.
void write_particles(const std::filesystem::path& file, const initial_pose::SearchResult& result);

}  // namespace ndt::harness
