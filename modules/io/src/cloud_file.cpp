#include "ndt/io/cloud_file.hpp"

#include <algorithm>
#include <cctype>
#include <new>
#include <string>
#include <utility>

#include "ndt/core/formatted.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/points.hpp"
#include "ndt/io/stored_points.hpp"

namespace ndt::io {
namespace {

/// One line a format: order = the order in messages.
struct Format {
  std::string_view extension;
  StoredPoints (*read)(const std::filesystem::path&, CloudInfo*, BinFields);
  void (*write)(const std::filesystem::path&, const PointCloud&) = nullptr;  ///< null: is read only
};

constexpr Format kFormats[] = {
    {".pcd", [](const auto& file, CloudInfo* info, BinFields) { return read_stored_pcd(file, info); },
     [](const auto& file, const auto& cloud) { write_pcd(file, cloud); }},
    {".ply", [](const auto& file, CloudInfo* info, BinFields) { return read_stored_ply(file, info); },
     [](const auto& file, const auto& cloud) { write_ply(file, cloud); }},
    {".bin",
     [](const auto& file, CloudInfo* info, BinFields fields) {
       return StoredPoints(read_kitti_bin(file, info, fields).points);
     },
     write_kitti_bin},
    {".xyz", [](const auto& file, CloudInfo* info, BinFields) { return read_stored_table(file, info); }},
    {".npy", [](const auto& file, CloudInfo* info, BinFields) { return read_stored_npy(file, info); }},
    {".csv", [](const auto& file, CloudInfo* info, BinFields) { return read_stored_table(file, info); }}};

constexpr std::string_view kWritten = "give a file in .pcd, .ply or .bin";
constexpr std::string_view kMadeToPcd =
    "./run convert map FILE --out FILE.pcd makes a PCD of a map in LAS, LAZ or E57";
constexpr std::string_view kSupported =
    "supported: .pcd (ascii, binary, binary_compressed), .ply (ascii, binary), .bin (KITTI: float32 x y z "
    "intensity), .xyz and .csv (rows of x y z), .npy (an array of such rows)";

std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

/// Null for an unknown extension.
const Format* format_named(const std::string& extension) {
  const auto* const format = std::ranges::find(kFormats, extension, &Format::extension);
  return format == std::end(kFormats) ? nullptr : format;
}

const Format& format_of(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  if (const Format* format = format_named(extension)) return *format;
  const bool surveyed = extension == ".las" || extension == ".laz" || extension == ".e57";
  throw refusal(printable_name(file.string()), "",
                "unknown point cloud format '" + printable(extension) + "'",
                surveyed ? kMadeToPcd : kSupported);
}

InputError no_memory_for(const std::filesystem::path& file) {
  std::error_code unknown;
  return refusal(printable_name(file.string()), "",
                 formatted("not enough memory for the points of its {} bytes",
                           std::filesystem::file_size(file, unknown)),
                 "thin the cloud, split it, or allow the process more memory");
}

}  // namespace

bool is_cloud(const std::filesystem::path& file) { return format_named(extension_of(file)) != nullptr; }

std::string cloud_extensions() {
  std::string all;
  for (const Format& format : kFormats) all.append(all.empty() ? "" : ", ").append(format.extension);
  return all;
}

bool is_written_cloud(const std::filesystem::path& file) {
  const Format* format = format_named(extension_of(file));
  return format != nullptr && format->write != nullptr;
}

std::vector<std::filesystem::path> clouds_among(std::vector<std::filesystem::path> files) {
  std::erase_if(files, [](const auto& file) { return !is_cloud(file); });
  if (files.empty()) return files;
  const auto format = [](const auto& file) { return &format_of(file); };
  const Format* const first = format(*std::ranges::min_element(files, {}, format));
  std::erase_if(files, [&](const auto& file) {
    return first->write ? !is_written_cloud(file) : format(file) != first;
  });
  return files;
}

StoredPoints read_stored_points(const std::filesystem::path& file, CloudInfo* info, BinFields fields) try {
  return format_of(file).read(file, info, fields);
} catch (const std::bad_alloc&) {
  throw no_memory_for(file);
}

PointCloud cloud_of_stored(StoredPoints points, const std::filesystem::path& file) {
  if (auto* floats = std::get_if<std::vector<Vec3<float>>>(&points)) return {{}, std::move(*floats)};
  return cloud_of(std::get<std::vector<Vec3<double>>>(points), printable_name(file.native()));
}

PointCloud read_cloud(const std::filesystem::path& file, CloudInfo* info, BinFields fields) try {
  return cloud_of_stored(format_of(file).read(file, info, fields), file);
} catch (const std::bad_alloc&) {
  throw no_memory_for(file);
}

void write_cloud(const std::filesystem::path& file, const PointCloud& cloud) {
  const Format& format = format_of(file);
  if (format.write == nullptr)
    throw refusal(printable_name(file.native()), "", formatted("{} is not written", format.extension),
                  std::string(kWritten));
  format.write(file, cloud);
}

}  // namespace ndt::io
