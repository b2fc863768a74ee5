// Point clouds by file name.
#pragma once

#include <filesystem>
#include <string>

#include "io/cloud_info.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// Reads a cloud in the format that the file's extension says: .pcd, .ply, .bin, in any case. Throws InputError for an
/// unknown one, naming those that can be read, and as the format's reader does.
PointCloud read_cloud(const std::filesystem::path& file, CloudInfo* info = nullptr);

/// Writes a cloud in the format that the file's extension says, binary where there is a choice. Throws InputError for an
/// unknown one, naming those that can be written, and as the format's writer does.
void write_cloud(const std::filesystem::path& file, const PointCloud& cloud);

/// Of the formats above, for help texts: ".pcd, .ply, .bin".
std::string cloud_extensions();

}  // namespace ndt::harness
