// Bad and borderline files, each with the exact answer it must get. One table for the readers' tests
// (catalogue_test) and, through write_catalogue, for those of the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ndt::catalogue {

enum class Format {
  pcd,
  ply,
  kitti_bin,
  csv,
  npy,
  tum,
  kitti_poses,
  metadata_yaml,
  ros_yaml,
  preset_toml,
  dataset_toml
};
bool is_cloud(Format format);

/// InputError "<file>: <message>"; a message that ends with "..." goes on.
struct Refused {
  std::string message;
};

struct Accepted {
  std::uint64_t points = 0;      ///< poses of a trajectory; tiles, parameters, studies, frames
  std::uint64_t non_finite = 0;  ///< of the points
  std::uint64_t trailing_bytes = 0;
  std::string align = "no valid voxel";  ///< part of what `ndt-bench align` of the file onto itself prints
};

struct Entry {
  std::string name;  ///< letters, digits and underscores, unique
  Format format = Format::pcd;
  std::function<void(const std::filesystem::path&)> make;  ///< puts the file there, or whatever else it is
  std::variant<Refused, Accepted> answer;
};

std::string file_name(const Entry& entry);

/// All of them: the rows of files.toml, and what no row can say.
std::vector<Entry> entries();

using Entries = std::vector<Entry>;
Entries places();      ///< not a file, or not one that can be read
Entries made();        ///< files that are computed
Entries pcd_values();  ///< well-formed files with awkward coordinates

/// A file of these bytes.
Entry refused(Format format, std::string name, std::string bytes, std::string message);
Entry accepted(Format format, std::string name, std::string bytes, Accepted answer);

// The advice that messages end with, each in one place.
inline constexpr std::string_view kFixHeader = "; fix the header or export the cloud again";
inline constexpr std::string_view kFixLine = "; fix the line or export the file again";
inline constexpr std::string_view kCutOff =
    "; the file is cut off or its header is wrong, export the cloud again";

}  // namespace ndt::catalogue
