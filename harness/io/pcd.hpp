// PCD files (v0.7) in and out, coordinates only. The reader is strict: every size in a header is checked against the bytes
// that exist before memory of that size is taken.
#pragma once

#include <filesystem>

#include "io/cloud_info.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

enum class PcdEncoding { ascii, binary, binary_compressed };

/// The points of a PCD file, in metres and in file order; non-finite ones are kept. Fields other than x, y, z are skipped
/// and VIEWPOINT does not move the points.
///
/// float32 coordinates come back bit for bit, with origin 0. If x, y or z is float64, the cloud has origin 0 while all
/// finite points lie within 1000 m of it; beyond, the origin is their component-wise median rounded down to whole
/// kilometres and the points are float32 offsets from it.
///
/// Throws ndt::InputError naming file, header line, line or byte, field, and what to do: for anything but a regular file,
/// a header that contradicts itself or the file, a body that is short or not numbers, or a file past the Limits
/// (ndt/core/limits.hpp). binary_compressed needs a build with liblzf.
PointCloud read_pcd(const std::filesystem::path& file, CloudInfo* info = nullptr);

/// Writes x y z as float32 if the origin is 0, else origin + point as float64; an existing file is replaced. Text carries
/// the shortest digits that read back to the same bits. Throws ndt::InputError if the file cannot be written or could not
/// be read back (too many points), or for binary_compressed in a build without liblzf.
void write_pcd(const std::filesystem::path& file, const PointCloud& cloud, PcdEncoding encoding = PcdEncoding::binary);

}  // namespace ndt::harness
