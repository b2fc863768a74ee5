#include "ndt/io/held_tiles.hpp"

#include <algorithm>
#include <cstdint>

#include "ndt/core/limits.hpp"

namespace ndt::io {

HeldTiles HeldTiles::moved_to(const MapArea& area) const {
  HeldTiles moved(*files_);
  for (const MapTile* file : files_->touching(area)) {
    // Both lists are in the order of the map's own tiles, which lie one behind the other in memory.
    const auto held = std::ranges::lower_bound(tiles_, file, std::less(), &Tile::file);
    if (held != tiles_.end() && held->file == file) {
      moved.tiles_.push_back({file, held->points});
    } else {
      moved.tiles_.push_back({file, std::make_shared<const StoredPoints>(files_->read(*file)), true});
      ++moved.read_;
    }
  }
  moved.dropped_ = tiles_.size() - (moved.tiles_.size() - moved.read_);
  return moved;
}

PointCloud HeldTiles::cloud() const {
  TilePoints points(files_->name());
  for (const Tile& tile : tiles_) points.add(*tile.points, tile.file->file);
  return points.take();
}

std::optional<std::map<TileId, TileCloud>> HeldTiles::float_clouds() const {
  std::map<TileId, TileCloud> clouds;
  std::uint64_t all = 0;
  for (const Tile& tile : tiles_) {
    const auto* points = std::get_if<std::vector<Vec3<float>>>(tile.points.get());
    if (points == nullptr || (all += points->size()) > Limits::kPoints) return std::nullopt;
    clouds[tile.file - files_->tiles().data()] = TileCloud(tile.points, points);
  }
  return clouds;
}

}  // namespace ndt::io
