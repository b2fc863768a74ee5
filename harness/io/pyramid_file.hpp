// The file in which a map's place pyramid is kept, for the machine that wrote it. A header tells its version,
// its source and its checksum; the cells of all levels follow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "ndt/core/point_cloud.hpp"
#include "ndt/initial_pose/place_pyramid.hpp"

namespace ndt::harness {

/// A map, as its hash, and the options that shape its pyramid.
struct PyramidSource {
  std::uint64_t map = 0;  ///< hash of the map's points
  std::uint64_t points = 0;
  double cell_m = 0;  ///< as it was asked for
  double up[3] = {};
};

PyramidSource pyramid_source(const PointCloud& map, double cell_m, const Vec3<double>& up);

/// Another name for another source.
std::string pyramid_file_name(const PyramidSource& source);

/// Writes the file complete or not at all. Throws InputError if that fails.
void write_pyramid(const std::filesystem::path& file, const initial_pose::PlacePyramid& pyramid,
                   const PyramidSource& source);

/// Throws InputError for what write_pyramid() did not write of this source, whole and unchanged.
initial_pose::PlacePyramid read_pyramid(const std::filesystem::path& file, const PyramidSource& source);

}  // namespace ndt::harness
