// Point clouds in files: PCD, PLY (1.0), KITTI scans (.bin), and to read only .xyz, .csv and .npy;
// coordinates only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt::io {

/// The irregularities that a reader noticed and accepted.
struct CloudInfo {
  /// After the last point of a binary body, declared by nothing in the header.
  std::uint64_t trailing_bytes = 0;
};

/// The float32 values of a point in a .bin file, x y z first: 3 to 6; nothing is KITTI's 4.
using BinFields = std::optional<int>;
inline constexpr int kBinFieldsLeast = 3;  ///< fewest values
inline constexpr int kBinFieldsMost = 6;   ///< most values

/// Reads a cloud in the format that the file's extension says, in any case: .pcd, .ply, .bin, .xyz, .csv or
/// .npy. Points come in metres and in file order, also those that are not finite. .xyz and .csv have rows of
/// x y z and further values, and their first line may name the columns. .npy has an array of float32 or
/// float64 with the columns x y z first. float32 coordinates come back bit for bit, with origin 0; for
/// float64 see cloud_of(). `fields` is for .bin; other formats ignore it. Throws ndt::InputError that names
/// file, place and remedy for anything that is not such a file. Every size in a header is checked against the
/// bytes that exist before memory of that size is taken.
PointCloud read_cloud(const std::filesystem::path& file, CloudInfo* info = nullptr, BinFields fields = {});

/// Writes .pcd, .ply or .bin, binary where there is a choice; an existing file is replaced. Throws
/// ndt::InputError for another extension and for a file that cannot be written.
void write_cloud(const std::filesystem::path& file, const PointCloud& cloud);

/// Whether read_cloud() knows the file's extension, in any case. The file is not looked at.
bool is_cloud(const std::filesystem::path& file);

/// Returns the cloud of absolute coordinates in float64 [m], as read_cloud() makes it from a file of them.
/// The origin is 0 while all finite points are within 1000 m of it in every coordinate. Beyond, it is their
/// component-wise median rounded down to whole kilometres. Throws ndt::InputError, which begins with `name`,
/// for medians beyond 1,000,000 km.
PointCloud cloud_of(const std::vector<Vec3<double>>& points, std::string_view name);

}  // namespace ndt::io
