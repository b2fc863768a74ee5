// PLY files (1.0) in and out, coordinates only. The reader is strict: every size in a header is checked against the bytes
// that exist before memory of that size is taken.
#pragma once

#include <filesystem>

#include "io/cloud_info.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

enum class PlyEncoding { ascii, binary_little_endian, binary_big_endian };

/// The points of a PLY file: x, y and z of its element "vertex", in metres and in file order; non-finite ones are kept.
/// Other properties and the elements before it are skipped; the elements after it are not looked at. Text holds one
/// vertex a line.
///
/// float coordinates come back bit for bit, with origin 0. If x, y or z is double, origin and points are chosen as
/// read_pcd does.
///
/// Throws ndt::InputError naming file, header line, line or byte, property, and what to do: for anything but a regular
/// file, a header that contradicts itself or the file, integer coordinates, a list among the properties of a vertex, a
/// body that is short or not numbers, or a file past the Limits (ndt/core/limits.hpp).
PointCloud read_ply(const std::filesystem::path& file, CloudInfo* info = nullptr);

/// Writes x y z as float if the origin is 0, else origin + point as double; an existing file is replaced. Text carries the
/// shortest digits that read back to the same bits. Throws ndt::InputError if the file cannot be written or could not be
/// read back (too many points).
void write_ply(const std::filesystem::path& file, const PointCloud& cloud,
               PlyEncoding encoding = PlyEncoding::binary_little_endian);

}  // namespace ndt::harness
