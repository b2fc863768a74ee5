// Coloured clouds to look at, as PLY, which CloudCompare, MeshLab and Blender open: binary, x y z as double
// in metres of the map, red green blue, and a score where there is one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::harness {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

/// From red at share 0 over yellow to green at share 1; purple below 0, for points whose score is 0.
Colour score_colour(double share);

/// Writes the finite points of a cloud, moved into the map, all of one colour. Replaces the file; throws
/// ndt::InputError if it cannot be written.
void write_coloured_ply(const std::filesystem::path& file, const PointCloud& cloud,
                        const Transform& map_from_cloud, Colour colour);

/// Writes the chosen points, each coloured by its score, which stands beside it. A comment in the header says
/// what the colours mean; green is the best score. Throws std::invalid_argument unless there is a score for
/// every index, and as write_coloured_ply does.
void write_scored_ply(const std::filesystem::path& file, const PointCloud& cloud,
                      const Transform& map_from_cloud, std::span<const std::size_t> indices,
                      std::span<const float> scores);

}  // namespace ndt::harness
