// Scans as KITTI stores them (velodyne/*.bin): records of float32 x y z intensity, little-endian, without a header.
#pragma once

#include <filesystem>

#include "io/cloud_info.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// The points in metres, bit for bit and in file order, with origin 0; non-finite ones are kept, intensity is skipped. A
/// file of 0 bytes is a cloud of 0 points. Throws ndt::InputError for anything but a regular file, a size that is no
/// multiple of 16 bytes, or more points than Limits::kPoints. Nothing can trail, so *info always comes back as 0.
PointCloud read_kitti_bin(const std::filesystem::path& file, CloudInfo* info = nullptr);

/// Writes intensity 0; an existing file is replaced. Throws ndt::InputError if the file cannot be written or could not be
/// read back (too many points), and for an origin other than 0, which float32 cannot carry.
void write_kitti_bin(const std::filesystem::path& file, const PointCloud& cloud);

}  // namespace ndt::harness
