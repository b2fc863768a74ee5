// Point clouds by file name.
#pragma once

#include <filesystem>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// Reads a cloud in the format that the file's extension says. Throws InputError for an unknown one, naming those that
/// can be read, and as the format's reader does.
PointCloud read_cloud(const std::filesystem::path& file);

}  // namespace ndt::harness
