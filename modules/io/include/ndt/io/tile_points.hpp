// The points of tiles on their way into one cloud.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "ndt/io/stored_points.hpp"

namespace ndt::io {

/// A rectangle, and all within reach of it. Map frame, metres; any height.
struct MapArea {
  double low_x = 0, low_y = 0, high_x = 0, high_y = 0;
  double reach_m = 0;
};

/// Throws InputError if finite points lie outside the area by more than its reach and the spacing of float32
/// there. The message counts them and names the first.
void require_inside(const StoredPoints& points, const MapArea& area, const std::filesystem::path& file);

/// Appends tile to tile.
class TilePoints {
 public:
  /// `map`: its printable name, for messages.
  explicit TilePoints(std::string map) : map_(std::move(map)) {}
  /// Throws InputError if the tiles before have another type of coordinates, or if there are too many points.
  void add(StoredPoints points, const std::filesystem::path& file);
  PointCloud take();

 private:
  std::string map_;
  std::filesystem::path first_;
  std::optional<StoredPoints> points_;
};

}  // namespace ndt::io
