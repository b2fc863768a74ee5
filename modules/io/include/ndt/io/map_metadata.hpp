// Autoware's pointcloud_map_metadata.yaml: which rectangle of a map lies in which file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ndt::io {

/// A rectangle of x_resolution by y_resolution metres, whatever its height.
struct TileEntry {
  std::string file;      ///< as it is written: a name beside the metadata
  double x = 0, y = 0;   ///< lower-left corner, map frame, metres
  std::size_t line = 0;  ///< of the metadata, from 1
};

struct MapMetadata {
  double x_resolution_m = 0, y_resolution_m = 0;
  std::vector<TileEntry> tiles;  ///< by x, then by y
};

inline constexpr const char* kMetadataName = "pointcloud_map_metadata.yaml";
inline constexpr std::size_t kTilesMost = std::size_t{1} << 16;  ///< of one map
/// Points of a tile may be so far outside its rectangle: writers round coordinates and corners.
inline constexpr double kTileSlackM = 0.01;

/// Whether the build has yaml-cpp, without which metadata can be written but not read.
bool map_metadata_readable();

/// Whether the file's extension is .yaml or .yml, in any case. The file is not looked at.
bool is_map_metadata(const std::filesystem::path& file);

/// Whether the file is text of at most Limits::kMetadataBytes with a line for x_resolution. Never throws.
bool looks_like_map_metadata(const std::filesystem::path& file);

/// Reads x_resolution and y_resolution, in metres, and the tiles, `file: [x, y]`. The tiles themselves are
/// not read. Throws InputError naming file, line and remedy, for a build without yaml-cpp and for invalid
/// YAML. Throws it also for a missing or impossible resolution, an entry that is no corner, or a duplicate
/// name. It refuses tiles that overlap by more than kTileSlackM, no tiles, and more than kTilesMost.
MapMetadata read_map_metadata(const std::filesystem::path& file);

/// The text of such a file, without its last line end. Names must be plain: letters, digits, '.', '_' and
/// '-'.
std::string map_metadata_text(const MapMetadata& metadata);

}  // namespace ndt::io
