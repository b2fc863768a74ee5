// A map in tiles that changes while aligners align. Tiles come and go by id, and every change gives a new map
// beside those in use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ndt/core/counters.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// The numbers of a map's points and voxels, and its origin.
struct MapInfo {
  std::int64_t points = 0;          ///< finite points used
  std::int64_t dropped_points = 0;  ///< non-finite points
  std::int64_t voxels = 0;          ///< voxels with enough points
  Vec3<double> origin;              ///< internal origin, a multiple of the resolution
};

/// The points of tiles come in the order of their ids.
using TileId = std::int64_t;
/// Map frame, metres, as a float file has them; points that are not finite are dropped and counted. Shared,
/// because the voxels that a tile has in common with others are summed from them again.
using TileCloud = std::shared_ptr<const std::vector<Point>>;

/// A map that is built, and never changes. Aligner::exchange_map() takes it.
class ReadyMap {
 public:
  virtual ~ReadyMap() = default;
  /// Its counts and origin.
  virtual const MapInfo& info() const = 0;
};

/// Tiles that are held, with their voxels. For one thread at a time, which may be another than the aligners':
/// what it does and what they do share nothing that changes.
class ResidentMap {
 public:
  virtual ~ResidentMap() = default;

  /// Holds a tile from now on; the points may be none. Throws std::invalid_argument if the id is held or the
  /// pointer null. Throws InputError if the tile's coordinates are too coarse; then it is not held.
  virtual void add(TileId id, TileCloud points) = 0;
  /// Throws std::invalid_argument if the id is not held.
  virtual void remove(TileId id) = 0;
  /// Increasing.
  virtual std::vector<TileId> ids() const = 0;

  /// Builds the map that Aligner::set_map() builds from the points of all tiles, in the order of their ids.
  /// It has the same bits, whatever was added and removed before. Makes voxels of new tiles and of
  /// cells that several tiles have points in; those of other tiles are taken as they are. All are made anew
  /// where the map's origin moves on: once in a kilometre, beyond the first (voxel/map_cloud.hpp). Throws as
  /// set_map() does; the tiles stay held, and maps built before stay as they are.
  virtual std::shared_ptr<const ReadyMap> build() = 0;

  /// Counts everything moved to and from a device for tiles and maps so far. Its bytes are those of the
  /// tiles, and of all maps that are in use or were until the last add() or build(). Nothing on the CPU.
  virtual std::optional<Traffic> traffic() const { return std::nullopt; }
};

}  // namespace ndt
