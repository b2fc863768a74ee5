// The formats of point clouds in files, coordinates only: PCD, PLY (1.0), KITTI scans. Readers are strict:
// every size in a header is checked against the bytes that exist before memory of that size is taken.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ndt/io/clouds.hpp"

namespace ndt::io {

enum class PcdEncoding { ascii, binary, binary_compressed };

/// Reads the points of a PCD file, in metres and in file order; non-finite ones are kept. A coordinate is
/// in field x, or in X if x is missing. Other fields are skipped, also without values (COUNT 0). VIEWPOINT
/// does not move the points. Versions 0.5 to 0.7 are read.
///
/// float32 coordinates come back bit for bit, with origin 0. Coordinates in float64 have origin 0, too, while
/// all finite points are within 1000 m of it. Beyond, the origin is their component-wise median rounded down
/// to whole kilometres. The points are then float32 offsets from it.
///
/// Throws ndt::InputError naming file, header line, line or byte, field, and what to do. Refuses anything
/// but a regular file, and a file past the Limits (ndt/core/limits.hpp). Refuses a header that contradicts
/// itself or the file, and a body that is short or not numbers. binary_compressed needs a build with liblzf.
PointCloud read_pcd(const std::filesystem::path& file, CloudInfo* info = nullptr);

/// The numbers of a field that tells when points were measured, as a driver wrote them: in its own unit, from
/// its own zero.
struct PointTimes {
  std::string field;           ///< its name; empty: the file has none
  std::vector<double> values;  ///< one a point, in file order
};
/// Reads the first field of a PCD file with one of these names, in any case: t, time, timestamp, time_stamp,
/// offset_time, time_offset, point_time_offset. They may end in _s, _ms, _us or _ns. Throws as read_pcd does.
PointTimes read_point_times(const std::filesystem::path& file);

/// Writes x y z as float32 if the origin is 0, else origin + point as float64; an existing file is replaced.
/// Binary files with origin 0 have the cloud's times as field t. Text carries the shortest digits
/// that read back to the same bits. Throws ndt::InputError if the file
/// cannot be written or could not be read back (too many points), or for binary_compressed in a build without
/// liblzf.
void write_pcd(const std::filesystem::path& file, const PointCloud& cloud,
               PcdEncoding encoding = PcdEncoding::binary);

enum class PlyEncoding { ascii, binary_little_endian, binary_big_endian };

/// Reads the points of a PLY file: x, y and z of its element "vertex", in metres and in file order;
/// non-finite ones are kept. X, Y, Z stand for missing small letters. Other properties, lists too, and the
/// elements before it are skipped; the elements after it
/// are not looked at. Text holds one vertex a line.
///
/// float coordinates come back bit for bit, with origin 0. If x, y or z is double, origin and points are
/// chosen as read_pcd does.
///
/// Throws ndt::InputError naming file, header line, line or byte, property, and what to do. Refuses
/// anything but a regular file, integer coordinates, and a file past the Limits (ndt/core/limits.hpp).
/// Refuses a header that contradicts itself or the file, and a body that is short or not numbers.
PointCloud read_ply(const std::filesystem::path& file, CloudInfo* info = nullptr);

/// Writes x y z as float if the origin is 0, else origin + point as double; an existing file is replaced.
/// Text carries the shortest digits that read back to the same bits. Throws ndt::InputError if the file
/// cannot be written or could not be read back (too many points).
void write_ply(const std::filesystem::path& file, const PointCloud& cloud,
               PlyEncoding encoding = PlyEncoding::binary_little_endian);

/// Reads a scan as KITTI stores it (velodyne/*.bin): little-endian records of float32 x y z intensity, or of
/// `fields` float32, without a header. Returns the points in metres, bit for bit and in file order, with
/// origin 0. Keeps non-finite points and skips all values but x y z. A file of 0 bytes is a cloud of 0
/// points. Throws ndt::InputError for anything but a regular file, a size that is no whole number of records,
/// or more points than Limits::kPoints. Throws it also for values that repeat with another width than the
/// records'. Throws std::invalid_argument for other numbers of fields. Nothing can trail, so *info always
/// comes back as 0.
PointCloud read_kitti_bin(const std::filesystem::path& file, CloudInfo* info = nullptr,
                          BinFields fields = {});

/// Writes intensity 0; an existing file is replaced. Throws ndt::InputError if the file cannot be written or
/// could not be read back (too many points). Throws it also for an origin other than 0, which float32 cannot
/// carry.
void write_kitti_bin(const std::filesystem::path& file, const PointCloud& cloud);

/// Whether write_cloud knows the extension.
bool is_written_cloud(const std::filesystem::path& file);

/// Returns the clouds among the files of a folder. Files in .xyz, .npy and .csv often hold times, poses or
/// copies. They are taken only if there is no other cloud, and then those of the first of these formats.
std::vector<std::filesystem::path> clouds_among(std::vector<std::filesystem::path> files);

/// Lists the extensions of the formats above, for help texts: ".pcd, .ply, ...".
std::string cloud_extensions();

}  // namespace ndt::io
