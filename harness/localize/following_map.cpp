#include "localize/following_map.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/clock.hpp"

namespace ndt::harness {

using localization::MapCircle;
using localization::MapFollower;
using localization::MapNeed;
using localization::MapOutcome;
using localization::MapPlace;
using localization::MapUpdatePolicy;

namespace {

MapArea area_of(const MapCircle& circle) {
  return {circle.centre.x, circle.centre.y, circle.centre.x, circle.centre.y, circle.radius_m};
}

constexpr std::size_t kPicturedPoints =
    60;  // of a tile, so that a picture of all the way takes little memory

std::vector<Vec3<double>> some_of(const StoredPoints& stored) {
  return std::visit(
      [](const auto& points) {
        std::vector<Vec3<double>> some;
        const std::size_t apart =
            std::max<std::size_t>(1, (points.size() + kPicturedPoints - 1) / kPicturedPoints);
        for (std::size_t k = 0; k < points.size(); k += apart)
          if (const auto p = cast<double>(points[k]); std::isfinite(p.x + p.y + p.z)) some.push_back(p);
        return some;
      },
      stored);
}

/// Two updates before one scan.
MapUpdate joined(const std::optional<MapUpdate>& first, MapUpdate second) {
  if (!first) return second;
  second.swapped = second.swapped || first->swapped;
  second.added += first->added, second.removed += first->removed;
  second.read_ms += first->read_ms, second.build_ms += first->build_ms;
  second.swap_us += first->swap_us;
  if (second.points == 0) second.points = first->points;
  return second;
}

/// Removes and adds what it takes to hold these tiles and no others.
void hold(ResidentMap& map, const std::map<TileId, TileCloud>& tiles) {
  const std::vector<TileId> held = map.ids();
  for (const TileId id : held)
    if (!tiles.contains(id)) map.remove(id);
  for (const auto& [id, points] : tiles)
    if (!std::ranges::binary_search(held, id)) map.add(id, points);
}

MapFiles with_places(MapFiles files) {
  if (!files.places_known())
    throw std::invalid_argument(
        "FollowingMap: the map has no metadata, so nothing tells where its tiles are");
  return files;
}

}  // namespace

FollowingMap::FollowingMap(MapFiles files, const FollowingSetting& setting, const Make& make)
    : files_(with_places(std::move(files))),
      setting_(setting),
      first_(make()),
      second_(make()),
      resident_(first_->resident_map()),
      in_force_(files_),
      next_{HeldTiles(files_)},
      vehicle_{setting.first.low_x, setting.first.low_y} {
  const MapUpdatePolicy policy(setting.options, {vehicle_, setting.first.reach_m});
  put_into_force(read_and_build(*first_, setting.first).tiles);
  use_.tiles_read = use_.most_tiles = in_force_.size();
  follower_.emplace(*first_, *second_, policy,
                    [this](Aligner& spare, const MapCircle& around) { return build_next(spare, around); });
}

/// An aligner whose tiles stay the same keeps its map.
FollowingMap::Next FollowingMap::read_and_build(Aligner& aligner, const MapArea& area) {
  const Stopwatch reading;
  Next next{in_force_.moved_to(area)};
  if (!next.tiles.changed()) return next;
  next.read_ms = reading.elapsed_us() / 1000;
  const Stopwatch building;
  next.points = build(aligner, next.tiles);
  next.build_ms = building.elapsed_us() / 1000;
  return next;
}

/// Tile by tile if it can: filters work on the cloud of all.
std::int64_t FollowingMap::build(Aligner& aligner, const HeldTiles& tiles) {
  if (resident_ && !setting_.filters.active())
    if (const auto clouds = tiles.float_clouds()) {
      hold(*resident_, *clouds);
      const std::shared_ptr<const ReadyMap> map = resident_->build();
      aligner.exchange_map(map);
      return map->info().points + map->info().dropped_points;
    }
  const PointCloud cloud = prepare(tiles.cloud(), setting_.filters).cloud;
  aligner.set_map(cloud);
  return static_cast<std::int64_t>(cloud.size());
}

/// On the follower's thread. The main thread changes nothing that this reads until it has taken the result.
bool FollowingMap::build_next(Aligner& spare, const MapCircle& around) {
  next_ = read_and_build(spare, area_of(around));
  return next_.tiles.changed();
}

void FollowingMap::put_into_force(HeldTiles tiles) {
  tiles.for_each_read([&](const MapTile& tile, const StoredPoints& points) {
    if (auto& some = pictured_[&tile]; some.empty()) some = some_of(points);
  });
  in_force_ = std::move(tiles);
}

PointCloud FollowingMap::picture() const {
  std::vector<Vec3<double>> all;
  for (const auto& [tile, some] : pictured_) all.insert(all.end(), some.begin(), some.end());
  return cloud_of(std::move(all), files_.name());
}

PointCloud FollowingMap::cloud() const { return prepare(in_force_.cloud(), setting_.filters).cloud; }

bool FollowingMap::due() const {
  return setting_.real_time ? follower_->ready() : follower_->building() && scans_beside_ > 0;
}

bool FollowingMap::out_of_range() const {
  return follower_->policy().need(vehicle_) == MapNeed::out_of_range;
}

std::optional<MapUpdate> FollowingMap::before_scan(localization::Localizer& localizer) {
  std::optional<MapUpdate> told;
  std::optional<double> waited_ms;
  const bool late = follower_->building() && out_of_range();
  if (late) waited_ms = waited();
  if (late || due()) told = take(localizer);
  const bool failed = told && !told->error.empty();
  if (!follower_->building() && !failed && out_of_range() && follower_->policy().due(vehicle_)) {
    follower_->begin(vehicle_);  // what was under way is the map of a place too far back
    waited_ms = waited_ms.value_or(0) + waited();
    told = joined(told, take(localizer));
  }
  if (waited_ms) {
    told->waited_ms = *waited_ms;
    ++use_.waits;
    use_.waited_ms += *waited_ms;
  }
  ++scans_beside_;
  return told;
}

void FollowingMap::after_scan(const Transform& map_from_scan) {
  vehicle_ = {map_from_scan(0, 3), map_from_scan(1, 3)};
  if (follower_->building() || !follower_->policy().due(vehicle_)) return;
  follower_->begin(vehicle_);
  scans_beside_ = 0;
}

double FollowingMap::waited() const {
  const Stopwatch waiting;
  follower_->wait();
  return waiting.elapsed_us() / 1000;
}

MapUpdate FollowingMap::take(localization::Localizer& localizer) {
  MapUpdate update;
  follower_->wait();
  const Stopwatch swapping;
  const MapOutcome outcome = follower_->take();
  localizer.continue_with(follower_->live());
  if (outcome.swapped) update.swap_us = swapping.elapsed_us();
  update.around = outcome.around;
  if (outcome.failure) {
    update.error = *outcome.failure;
    ++use_.failed;
    return update;
  }
  update.swapped = outcome.swapped;
  if (!outcome.swapped) return update;
  update.added = next_.tiles.read(), update.removed = next_.tiles.dropped();
  update.points = next_.points;
  update.read_ms = next_.read_ms, update.build_ms = next_.build_ms;
  put_into_force(std::exchange(next_.tiles, HeldTiles(files_)));
  count(update);
  return update;
}

void FollowingMap::count(const MapUpdate& update) {
  ++use_.updates;
  use_.tiles_read += update.added;
  use_.most_tiles = std::max(use_.most_tiles, in_force_.size());
  use_.read_ms += update.read_ms, use_.build_ms += update.build_ms;
  use_.longest_swap_us = std::max(use_.longest_swap_us, update.swap_us);
}

}  // namespace ndt::harness
