// The common part of every ResidentMap, wherever its voxels are made, and the maps of all levels it makes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ndt/align/resident_map.hpp"
#include "ndt/voxel/map_cloud.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace ndt {

/// Coarse to fine.
template <class Map>
class LevelMaps final : public ReadyMap {
 public:
  LevelMaps(const AlignOptions& options, std::vector<std::unique_ptr<Map>> levels,
            std::unique_ptr<Map> windows = nullptr)
      : options_(options), levels_(std::move(levels)), windows_(std::move(windows)) {}

  const MapInfo& info() const final { return last().info(); }
  const AlignOptions& options() const { return options_; }
  const std::vector<std::unique_ptr<Map>>& levels() const { return levels_; }
  const Map& last() const { return *levels_.back(); }
  /// The map with voxels of this edge, or null.
  const Map* level(double resolution_m) const {
    for (const auto& map : levels_)
      if (map->resolution_m() == resolution_m) return map.get();
    return nullptr;
  }
  /// The windows of the finish, or null.
  const Map* windows() const { return windows_.get(); }

 private:
  AlignOptions options_;
  std::vector<std::unique_ptr<Map>> levels_;
  std::unique_ptr<Map> windows_;
};

/// Throws std::invalid_argument unless an aligner with these options can use the map.
template <class Maps>
std::shared_ptr<const Maps> require_own(std::shared_ptr<const ReadyMap> map, const AlignOptions& options) {
  if (!map) throw std::invalid_argument("exchange_map: the map is null; build one");
  std::shared_ptr<const Maps> own = std::dynamic_pointer_cast<const Maps>(std::move(map));
  if (!own || !same_maps(own->options(), options))
    throw std::invalid_argument(
        "exchange_map: the map was built by another implementation or with other options than the aligner's; "
        "build it with resident_map() of an equal aligner");
  return own;
}

/// Tiles and their voxels at a Site, which is where voxels are made. It has
///   Cloud(site, points, options)             points of a tile, with facts()
///   Voxels voxels(cloud, position, options)  of one level, relative to a position
///   map(facts, tiles' voxels, options, before)  the map of a level; before: the level's last map, or null
///   windows(facts, clouds, options, before, boxes)  the windows of a finish: those before, or null, and
///                                            the boxes around the points that have come and gone since
///   ready(options, maps of all levels, windows or null)  what aligners take, when all of it is there
///   traffic()                                counts of a device, or nothing
///   run(f)                                   calls f; if it throws, all that it began has ended
template <class Site>
class TiledMap final : public ResidentMap {
 public:
  TiledMap(Site site, const AlignOptions& options) : site_(std::move(site)), options_(options) {}

  void add(TileId id, TileCloud points) override {
    if (!points) throw std::invalid_argument("add: " + name(id) + " is a null pointer; give its points");
    if (tiles_.contains(id)) throw std::invalid_argument("add: " + name(id) + " is held; remove it first");
    changed_.reserve(changed_.size() + 1);  // now: a tile that is held must be among them
    site_.run([&] { changed(tiles_.try_emplace(id, site_, std::move(points), options_).first->second); });
  }
  void remove(TileId id) override {
    const auto tile = tiles_.find(id);
    if (tile == tiles_.end()) throw std::invalid_argument("remove: " + name(id) + " is not held; see ids()");
    changed(tile->second);
    tiles_.erase(tile);
  }
  std::vector<TileId> ids() const override {
    std::vector<TileId> ids;
    for (const auto& [id, tile] : tiles_) ids.push_back(id);
    return ids;
  }
  std::shared_ptr<const ReadyMap> build() override {
    CloudFacts facts;
    for (const auto& [id, tile] : tiles_) facts.add(tile.cloud.facts());
    std::shared_ptr<const ReadyMap> ready;
    const auto before = std::static_pointer_cast<const LevelMaps<Map>>(before_.lock());
    site_.run([&] {
      auto levels = build_levels(options_, [&](const AlignOptions& level) {
        return site_.map(facts, voxels(facts, level), level,
                         before ? before->level(level.resolution_m) : nullptr);
      });
      std::unique_ptr<Map> windows;
      if (options_.finish == Finish::windows)
        windows = site_.windows(facts, clouds(), options_, before ? before->windows() : nullptr, changed_);
      ready = site_.ready(options_, std::move(levels), std::move(windows));
    });
    before_ = ready;
    changed_.clear();
    return ready;
  }
  std::optional<Traffic> traffic() const override { return site_.traffic(); }

 private:
  using Voxels = typename Site::Voxels;
  using Map = typename Site::Map;

  /// Voxels are relative to the origin of the map that they were made for.
  struct Level {
    double resolution_m;
    MapOrigin origin;
    std::shared_ptr<const Voxels> voxels;
  };
  struct Tile {
    Tile(Site& site, TileCloud all, const AlignOptions& options)
        : points(std::move(all)), cloud(site, *points, options) {}

    TileCloud points;  // `cloud` refers to them
    typename Site::Cloud cloud;
    std::vector<Level> levels;
  };

  void changed(const Tile& tile) {
    const MapPoints points = tile.cloud.points({});
    if (points.size > 0 && options_.finish == Finish::windows) changed_.push_back(points.box);
  }
  std::vector<const typename Site::Cloud*> clouds() const {
    std::vector<const typename Site::Cloud*> all;
    for (const auto& [id, tile] : tiles_) all.push_back(&tile.cloud);
    return all;
  }

  static std::string name(TileId id) { return "tile " + std::to_string(id); }

  /// Returns every tile's voxels, relative to the origin that all tiles together give the map.
  std::vector<std::shared_ptr<const Voxels>> voxels(const CloudFacts& facts, const AlignOptions& options) {
    const MapOrigin origin = facts.origin(options.resolution_m);
    std::vector<std::shared_ptr<const Voxels>> all;
    all.reserve(tiles_.size());
    for (auto& [id, tile] : tiles_) all.push_back(voxels(tile, origin, options));
    return all;
  }
  std::shared_ptr<const Voxels> voxels(Tile& tile, const MapOrigin& origin, const AlignOptions& options) {
    const double resolution_m = options.resolution_m;
    const auto made = [&] {
      return std::make_shared<const Voxels>(site_.voxels(tile.cloud, origin.position(resolution_m), options));
    };
    for (Level& level : tile.levels) {
      if (level.resolution_m != resolution_m) continue;
      if (!(level.origin == origin)) level = {resolution_m, origin, made()};
      return level.voxels;
    }
    tile.levels.push_back({resolution_m, origin, made()});
    return tile.levels.back().voxels;
  }

  Site site_;
  AlignOptions options_;
  std::map<TileId, Tile> tiles_;
  std::weak_ptr<const ReadyMap> before_;  // the map built last, which an aligner keeps
  std::vector<PointBox> changed_;         // around the tiles that have come and gone since
};

}  // namespace ndt
