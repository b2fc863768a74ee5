#include "data/held_tiles.hpp"

#include <algorithm>

namespace ndt::harness {

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

}  // namespace ndt::harness
