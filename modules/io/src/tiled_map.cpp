#include "ndt/io/tiled_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/inside_folder.hpp"
#include "ndt/io/map_metadata.hpp"

namespace ndt::io {
namespace {

namespace fs = std::filesystem;

/// The folders of tiles that Autoware's maps have beside their metadata.
constexpr std::array kTileFolders{"pointcloud_map.pcd", "pointcloud_map"};

/// Whatever it is reached by; not an error but absent where it cannot be asked for.
bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}
bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Finds the tiles of metadata: beside it, in a folder of tiles there, or in folders inside one of these.
/// Autoware's divider puts them there with use_large_grid.
class TilePlaces {
 public:
  TilePlaces(const fs::path& beside, const MapMetadata& metadata) : beside_(beside) {
    const auto holds_a_tile = [&](const fs::path& folder) {
      return std::ranges::any_of(
          metadata.tiles, [&](const TileEntry& tile) { return is_there(beside / folder / tile.file); });
    };
    const std::array<fs::path, 3> folders = {fs::path(), kTileFolders[0], kTileFolders[1]};
    const auto* const found = std::ranges::find_if(folders, holds_a_tile);
    if (found != folders.end())
      folder_ = *found;
    else
      for (const fs::path& folder : folders) list_one_down(folder);
  }

  /// Relative to the metadata. A tile that is not found is where it should be.
  fs::path of(const std::string& tile) const {
    const auto found = one_down_.find(tile);
    return found == one_down_.end() ? folder_ / tile : found->second;
  }
  bool several(const std::string& tile) const { return one_down_.count(tile) > 1; }

 private:
  /// Notes the clouds in each folder of `folder`.
  void list_one_down(const fs::path& folder) {
    std::error_code error;
    for (const auto& inside : fs::directory_iterator("." / beside_ / folder, error)) {
      if (!is_folder(inside.path())) continue;
      const fs::path name = inside.path().filename();
      for (const auto& file : fs::directory_iterator(inside.path(), error))
        if (is_cloud(file.path()))
          one_down_.emplace(file.path().filename().string(), folder / name / file.path().filename());
    }
  }

  fs::path beside_, folder_;
  std::multimap<std::string, fs::path> one_down_;
};

/// The metadata in a folder: by Autoware's name, else the one that the divider named PREFIX_metadata.yaml,
/// else metadata.yaml. Empty if there is none, or several prefixes.
fs::path metadata_in(const fs::path& folder) {
  if (is_there(folder / kMetadataName)) return folder / kMetadataName;
  if (!map_metadata_readable()) return {};  // the clouds of the folder can be read without
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().ends_with("_metadata.yaml") && looks_like_map_metadata(entry.path()))
      found.push_back(entry.path());
  if (found.empty() && looks_like_map_metadata(folder / "metadata.yaml")) return folder / "metadata.yaml";
  return found.size() == 1 ? found.front() : fs::path();
}

/// The metadata of a folder of tiles; empty if it has none.
fs::path metadata_of(const fs::path& folder) {
  if (const fs::path inside = metadata_in(folder); !inside.empty()) return inside;
  const fs::path whole = folder.has_filename() ? folder : folder.parent_path();  // without a last slash
  const std::string name = whole.filename().string();
  if (std::ranges::find(kTileFolders, name) == kTileFolders.end()) return {};
  const fs::path beside = whole.parent_path() / kMetadataName;
  return is_there(beside) ? beside : fs::path();
}

/// Distance of two intervals; 0 if they touch.
double gap(double low, double high, double other_low, double other_high) {
  return std::max({0.0, other_low - high, low - other_high});
}

}  // namespace

MapFiles::MapFiles(const fs::path& map, BinFields fields, const fs::path& name)
    : name_(printable_name(name.empty() ? map.native() : name.native())), fields_(fields) {
  if (is_folder(map)) {
    // The tiles of a survey, which have a name, are complete without their metadata.
    const bool needed = name.empty() || map_metadata_readable();
    const fs::path metadata = needed ? metadata_of(map) : fs::path();
    metadata.empty() ? use_folder(map) : use_metadata(metadata);
  } else if (is_map_metadata(map)) {
    use_metadata(map);
  } else {
    tiles_.push_back({map.filename().string(), map, std::nullopt});
  }
}

void MapFiles::use_metadata(const fs::path& file) {
  const MapMetadata metadata = read_map_metadata(file);
  const fs::path beside = file.parent_path();
  const TilePlaces places(beside, metadata);
  const auto refuse = [&](const TileEntry& tile, std::string_view what, std::string_view advice) {
    throw refusal(printable_name(file.native()), formatted("line {}", tile.line),
                  formatted("the tile '{}' {}", printable(tile.file), what), advice);
  };
  for (const TileEntry& tile : metadata.tiles) {
    const fs::path place = places.of(tile.file);
    if (!stays_inside(beside, tile.file) || !stays_inside(beside, place.string()))
      refuse(tile, "is outside the map's folder",
             "give the name of a file in the folder; a link out of it is not followed");
    if (!is_cloud(tile.file))
      refuse(tile, "is no point cloud by its name", "tiles are " + cloud_extensions());
    if (places.several(tile.file))
      refuse(tile, "is in several folders beside the metadata", "keep one of these files");
    if (!is_there(beside / place))
      refuse(tile, "is not there", "restore the file, or remove its line if the map does not need it");
    tiles_.push_back({tile.file, beside / place, TilePlace{tile.x, tile.y}});
  }
  in_tiles_ = true;
  width_m_ = metadata.x_resolution_m, height_m_ = metadata.y_resolution_m;
}

void MapFiles::use_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!is_folder(entry->path())) files.push_back(entry->path());
  for (const fs::path& file : clouds_among(std::move(files))) {
    const std::string name = file.filename().string();
    if (!stays_inside(folder, name))
      throw refusal(name_, "", formatted("'{}' is a link out of the folder", printable(name)),
                    "put the file itself there; such a link is not followed");
    tiles_.push_back({name, file, std::nullopt});
  }
  if (error)
    throw refusal(name_, "", formatted("cannot be listed ({})", error.message()), "check its permissions");
  if (tiles_.empty())
    throw refusal(name_, "", "the folder has no point cloud and no " + std::string(kMetadataName),
                  "give a file, or a folder of tiles (" + cloud_extensions() + ")");
  if (tiles_.size() > kTilesMost)
    throw refusal(name_, "", formatted("{} clouds, the limit is {}", tiles_.size(), kTilesMost),
                  "join them into larger tiles");
  std::ranges::sort(tiles_, {}, &MapTile::name);
  in_tiles_ = true;
}

bool MapFiles::leave_out(const fs::path& file) {
  const std::size_t before = tiles_.size();
  if (!in_tiles_) return false;
  std::erase_if(tiles_, [&](const MapTile& tile) {
    std::error_code error;
    return fs::equivalent(tile.file, file, error);
  });
  if (tiles_.empty())
    throw refusal(name_, "", "the scan is its only point cloud",
                  "give a map of other clouds; a scan fits itself at any guess");
  return tiles_.size() < before;
}

std::vector<const MapTile*> MapFiles::touching(const MapArea& area) const {
  std::vector<const MapTile*> found;
  double nearest_m = std::numeric_limits<double>::infinity();
  for (const MapTile& tile : tiles_) {
    const double distance_m =
        std::hypot(gap(tile.place->x, tile.place->x + width_m_, area.low_x, area.high_x),
                   gap(tile.place->y, tile.place->y + height_m_, area.low_y, area.high_y));
    nearest_m = std::min(nearest_m, distance_m);
    if (distance_m <= area.reach_m) found.push_back(&tile);
  }
  if (found.empty())
    throw refusal(name_, "",
                  formatted("no tile is within {} m of ({}, {}); the nearest is {:.1f} m away", area.reach_m,
                            area.low_x, area.low_y, nearest_m),
                  "correct the place, or take in more of the map");
  return found;
}

StoredPoints MapFiles::read(const MapTile& tile) const {
  StoredPoints points = read_stored_points(tile.file, nullptr, fields_);
  if (tile.place)
    require_inside(
        points,
        {tile.place->x, tile.place->y, tile.place->x + width_m_, tile.place->y + height_m_, kTileSlackM},
        tile.file);
  return points;
}

LoadedMap MapFiles::load(const std::optional<MapArea>& area) const {
  if (!in_tiles_) return {read_cloud(tiles_.front().file, nullptr, fields_), 0};
  std::vector<const MapTile*> wanted;
  if (area && places_known())
    wanted = touching(*area);
  else
    for (const MapTile& tile : tiles_) wanted.push_back(&tile);

  TilePoints points(name_);
  for (const MapTile* tile : wanted) points.add(read(*tile), tile->file);
  return {points.take(), wanted.size()};
}

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
