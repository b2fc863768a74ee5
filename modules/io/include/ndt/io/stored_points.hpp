// The coordinates of a cloud as its file stores them, so that several files can become one cloud with one
// origin.
#pragma once

#include <filesystem>
#include <variant>
#include <vector>

#include "ndt/io/clouds.hpp"

namespace ndt::io {

/// Absolute coordinates in metres and in file order: float32 if x, y and z all are in the file, else double.
using StoredPoints = std::variant<std::vector<Vec3<float>>, std::vector<Vec3<double>>>;

/// Reads in the format that the file's extension says. Throws as read_cloud does.
StoredPoints read_stored_points(const std::filesystem::path& file, CloudInfo* info = nullptr,
                                BinFields fields = {});
StoredPoints read_stored_pcd(const std::filesystem::path& file, CloudInfo* info = nullptr);
StoredPoints read_stored_ply(const std::filesystem::path& file, CloudInfo* info = nullptr);
StoredPoints read_stored_table(const std::filesystem::path& file, CloudInfo* info = nullptr);
StoredPoints read_stored_npy(const std::filesystem::path& file, CloudInfo* info = nullptr);

/// The cloud that read_cloud gives: floats stay as they are, with origin 0, and doubles get the origin that
/// read_pcd describes. Throws InputError, which names `file`, as read_cloud does for coordinates too far
/// away.
PointCloud cloud_of_stored(StoredPoints points, const std::filesystem::path& file);

}  // namespace ndt::io
