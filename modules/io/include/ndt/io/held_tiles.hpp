// The tiles of a map that are in memory, and what of them stays when the vehicle has moved on.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ndt/align/resident_map.hpp"
#include "ndt/io/tiled_map.hpp"

namespace ndt::io {

/// Never changes once it is made, and copies share their points.
class HeldTiles {
 public:
  /// None yet. `files` has metadata and outlives all that is made from this.
  explicit HeldTiles(const MapFiles& files) : files_(&files) {}

  /// The tiles that touch an area: those of them that are held, and the others from their files. Throws
  /// InputError as MapFiles::load does for a file or where no tile is near.
  HeldTiles moved_to(const MapArea& area) const;
  /// The cloud of MapFiles::load(area), bit for bit. Throws InputError as that does.
  PointCloud cloud() const;

  /// Every tile's points as they are in its file, by its place among MapFiles::tiles(): one after the other
  /// they are those of cloud(). Nothing if a tile has coordinates in float64, because these are rounded to
  /// float32 about an origin that all tiles decide, or if they are more points than cloud() takes.
  std::optional<std::map<TileId, TileCloud>> float_clouds() const;

  std::size_t size() const { return tiles_.size(); }
  std::size_t read() const { return read_; }        ///< that the move to here took from files
  std::size_t dropped() const { return dropped_; }  ///< that it left behind
  bool changed() const { return read_ + dropped_ > 0; }
  /// f(tile, its points) for those that the move to here took from files.
  template <class F>
  void for_each_read(F&& f) const {
    for (const Tile& tile : tiles_)
      if (tile.is_new) f(*tile.file, *tile.points);
  }

 private:
  struct Tile {
    const MapTile* file;
    std::shared_ptr<const StoredPoints> points;
    bool is_new = false;  ///< read for the move to here
  };

  const MapFiles* files_;
  std::vector<Tile> tiles_;  ///< in the order of MapFiles::tiles()
  std::size_t read_ = 0, dropped_ = 0;
};

}  // namespace ndt::io
