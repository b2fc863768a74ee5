// A map as it comes: one cloud, a folder of tiles, or Autoware's metadata with the tiles that it names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ndt/align/resident_map.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/io/clouds.hpp"
#include "ndt/io/tile_points.hpp"

namespace ndt::io {

struct TilePlace {
  double x = 0, y = 0;  ///< lower-left corner
};

struct MapTile {
  std::string name;  ///< as in the metadata, or of the file
  std::filesystem::path file;
  std::optional<TilePlace> place;  ///< where metadata tells
};

struct LoadedMap {
  PointCloud cloud;
  std::size_t tiles = 0;  ///< that the cloud was made of; 0 for a map of one file
};

/// Finds the files of a map and checks that they are there; reads no point. The order of tiles, and so of the
/// points of the cloud, is by corner, x first, then y; without metadata by file name.
class MapFiles {
 public:
  /// `map`: a cloud, a folder of clouds, or metadata (.yaml). A folder's metadata is used if it has one:
  /// pointcloud_map_metadata.yaml, the only PREFIX_metadata.yaml, or metadata.yaml. The tiles of metadata are
  /// beside it, in a folder pointcloud_map.pcd or pointcloud_map there, or else one folder further down. A
  /// folder of one of these names uses pointcloud_map_metadata.yaml beside it.
  /// Throws InputError as read_map_metadata does, and for a folder without clouds. A tile that is missing or
  /// no cloud is refused, and so is a name or a link out of the folder. `fields` is for tiles in .bin.
  /// `name`: what messages call the map, else its path.
  explicit MapFiles(const std::filesystem::path& map, BinFields fields = {},
                    const std::filesystem::path& name = {});

  /// Takes a file out of the clouds of a folder or of metadata; false if it is none of them. Throws
  /// InputError if no other cloud is left.
  bool leave_out(const std::filesystem::path& file);

  /// One cloud unless true.
  bool in_tiles() const { return in_tiles_; }
  /// True if the metadata tells the tiles' places.
  bool places_known() const { return width_m_ > 0; }
  double tile_width_m() const { return width_m_; }              ///< along x; 0 where places are not known
  double tile_height_m() const { return height_m_; }            ///< along y
  const std::vector<MapTile>& tiles() const { return tiles_; }  ///< the one cloud is one of them

  /// Reads the tiles that touch the area, all where no area is given or places are not known. The cloud is
  /// that of one file with the points of these tiles one after the other. Floats keep their bits, and doubles
  /// have one origin. Throws InputError as read_cloud does, where no tile touches the area, and for tiles of
  /// float32 beside others of float64. Points that lie outside their tile by more than kTileSlackM are
  /// refused, and so are more points than Limits::kPoints.
  LoadedMap load(const std::optional<MapArea>& area = {}) const;

  // The parts that load() is made of, where places are known.

  /// The tiles that touch the area, in the order of the cloud's points. Throws InputError if there is none.
  std::vector<const MapTile*> touching(const MapArea& area) const;
  /// Throws InputError as read_cloud does, and for points that lie outside the tile.
  StoredPoints read(const MapTile& tile) const;
  const std::string& name() const { return name_; }  ///< printable

 private:
  void use_metadata(const std::filesystem::path& metadata);
  void use_folder(const std::filesystem::path& folder);

  std::string name_;  // for messages
  BinFields fields_;
  bool in_tiles_ = false;
  double width_m_ = 0, height_m_ = 0;
  std::vector<MapTile> tiles_;
};

/// The tiles of a map that are in memory, and what of them stays when the vehicle has moved on. Never changes
/// once it is made, and copies share their points.
class HeldTiles {
 public:
  /// Holds no tile yet. `files` has metadata and outlives all that is made from this.
  explicit HeldTiles(const MapFiles& files) : files_(&files) {}

  /// The tiles that touch an area: those of them that are held, and the others from their files. Throws
  /// InputError as MapFiles::load does for a file or where no tile is near.
  HeldTiles moved_to(const MapArea& area) const;
  /// The cloud of MapFiles::load(area), bit for bit. Throws InputError as that does.
  PointCloud cloud() const;

  /// Every tile's points as they are in its file, by its place among MapFiles::tiles(): one after the other
  /// they are those of cloud(). Nothing if they are more points than cloud() takes, or if a tile is in
  /// float64. Coordinates in float64 are rounded to float32 about an origin that all tiles decide.
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
