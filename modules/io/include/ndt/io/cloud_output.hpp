// Steps that all writers of point clouds share.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string_view>
#include <type_traits>

#include "ndt/core/point_cloud.hpp"

namespace ndt::io {

/// Replaces the file by the output of `write`. Throws ndt::InputError if that fails.
void write_file(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write);

/// Throws ndt::InputError if there are more of `things` than a reader takes.
void require_readable_count(const std::filesystem::path& file, std::string_view things, std::uint64_t count,
                            std::uint64_t limit);

void write_bytes(std::ostream& out, std::span<const std::byte> bytes);

/// Returns false if the floats alone are the coordinates.
inline bool has_origin(const PointCloud& cloud) {
  return cloud.origin.x != 0 || cloud.origin.y != 0 || cloud.origin.z != 0;
}

/// Returns point i as it is written: float leaves the points as they are; double adds the origin.
template <class T>
Vec3<T> absolute(const PointCloud& cloud, std::size_t i) {
  if constexpr (std::is_same_v<T, float>)
    return cloud.points[i];
  else
    return cloud.origin + cast<double>(cloud.points[i]);
}

/// Writes a line "x y z" per point, with the shortest digits that read back to the same bits.
template <class T>
void write_text_points(std::ostream& out, const PointCloud& cloud);

/// Writes x y z of one point after the other.
template <class T>
void write_point_records(std::ostream& out, const PointCloud& cloud, std::endian order);

}  // namespace ndt::io
