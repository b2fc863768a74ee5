#include "localize/following_map.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/clock.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {

using localization::AlignerPerMap;
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
      in_force_(files_),
      before_(files_),
      next_{HeldTiles(files_)},
      vehicle_{setting.first.low_x, setting.first.low_y} {
  const MapUpdatePolicy policy(setting.options, {vehicle_, setting.first.reach_m});
  next_ = read(setting.first);
  choose_aligner(next_.tiles, make);
  build(next_);
  aligner_->exchange_map(std::move(next_.map));
  put_into_force();
  use_.tiles_read = use_.most_tiles = in_force_.size();
  follower_.emplace(*aligner_, policy, [this](const MapCircle& around) { return build_next(around); });
}

/// Tile by tile if it can: filters work on the cloud of all.
void FollowingMap::choose_aligner(const HeldTiles& first, const Make& make) {
  aligner_ = make();
  if (!setting_.filters.active() && first.float_clouds()) resident_ = aligner_->resident_map();
  if (resident_) return;
  auto per_map = std::make_unique<AlignerPerMap>(make);
  per_map_ = per_map.get();
  aligner_ = std::move(per_map);
}

FollowingMap::Next FollowingMap::read(const MapArea& area) const {
  const Stopwatch reading;
  Next next{in_force_.moved_to(area)};
  next.pictures = pictures_of(next.tiles);
  next.read_ms = reading.elapsed_us() / 1000;
  return next;
}

FollowingMap::Pictures FollowingMap::pictures_of(const HeldTiles& tiles) const {
  Pictures pictures(1);
  tiles.for_each_read([&](const MapTile& tile, const StoredPoints& points) {
    const auto has_it = [&](const auto& some) { return some.contains(&tile); };
    if (std::ranges::none_of(pictures_, has_it)) pictures.front()[&tile] = some_of(points);
  });
  if (pictures.front().empty()) pictures.clear();
  return pictures;
}

void FollowingMap::build(Next& next) {
  const Stopwatch building;
  make_map(next);
  next.build_ms = building.elapsed_us() / 1000;
}

void FollowingMap::make_map(Next& next) {
  const auto clouds = resident_ ? next.tiles.float_clouds() : std::nullopt;
  if (!clouds) {
    const PointCloud cloud = prepare(next.tiles.cloud(), setting_.filters).cloud;
    if (!per_map_)
      throw InputError(files_.name() +
                       ": these tiles store float64, earlier ones float32; write all tiles in one type");
    next.map = per_map_->build(cloud);
    next.points = static_cast<std::int64_t>(cloud.size());
    return;
  }
  hold(*resident_, *clouds);
  next.map = resident_->build();
  next.traffic = resident_->traffic();
  next.points = next.map->info().points + next.map->info().dropped_points;
}

/// On the follower's thread. The main thread changes nothing that this reads until it has taken the result.
std::shared_ptr<const ReadyMap> FollowingMap::build_next(const MapCircle& around) {
  before_ = HeldTiles(files_);
  next_ = read(area_of(around));
  if (next_.tiles.changed()) build(next_);  // a map whose tiles stay the same stays
  return std::move(next_.map);
}

std::optional<DeviceBytes> FollowingMap::device_bytes() const {
  const std::optional<Traffic> aligners = aligner_->traffic();
  if (!aligners) return std::nullopt;
  const Traffic maps = resident_traffic_.value_or(Traffic());
  return DeviceBytes{aligners->device_bytes + maps.device_bytes,
                     aligners->peak_device_bytes + maps.peak_device_bytes};
}

/// Exchanges pointers only, and takes or gives back no memory: the scan's thread calls this.
void FollowingMap::put_into_force() {
  pictures_.splice(pictures_.end(), next_.pictures);
  before_ = std::exchange(in_force_, std::exchange(next_.tiles, HeldTiles(files_)));
  resident_traffic_ = next_.traffic;
}

PointCloud FollowingMap::picture() const {
  std::vector<Vec3<double>> all;
  std::map<const MapTile*, const std::vector<Vec3<double>>*> in_order;
  for (const auto& pictures : pictures_)
    for (const auto& [tile, some] : pictures) in_order[tile] = &some;
  for (const auto& [tile, some] : in_order) all.insert(all.end(), some->begin(), some->end());
  return cloud_of(std::move(all), files_.name());
}

PointCloud FollowingMap::cloud() const { return prepare(in_force_.cloud(), setting_.filters).cloud; }

bool FollowingMap::due() const {
  return setting_.real_time ? follower_->ready() : follower_->building() && scans_beside_ > 0;
}

void FollowingMap::wait_for_due() const {
  if (!setting_.real_time && due() && !late()) follower_->wait();
}

bool FollowingMap::late() const { return follower_->building() && (jumped_ || out_of_range()); }

bool FollowingMap::out_of_range() const {
  return follower_->policy().need(vehicle_) == MapNeed::out_of_range;
}

std::optional<MapUpdate> FollowingMap::before_scan() {
  std::optional<MapUpdate> told;
  std::optional<double> waited_ms;
  const bool is_late = late();
  if (is_late) waited_ms = waited();
  if (is_late || due()) told = take();
  const bool failed = told && !told->error.empty();
  const bool leaving = out_of_range() && !failed && follower_->policy().due(vehicle_);
  if (!follower_->building() && (std::exchange(jumped_, false) || leaving)) {
    follower_->begin(vehicle_);  // what was under way is the map of a place too far back
    waited_ms = waited_ms.value_or(0) + waited();
    told = joined(told, take());
  }
  if (waited_ms) {
    told->waited_ms = *waited_ms;
    ++use_.waits;
    use_.waited_ms += *waited_ms;
  }
  ++scans_beside_;
  return told;
}

void FollowingMap::jump_to(const Transform& map_from_scan) {
  vehicle_ = {map_from_scan(0, 3), map_from_scan(1, 3)};
  jumped_ = true;
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

MapUpdate FollowingMap::take() {
  MapUpdate update;
  follower_->wait();
  const Stopwatch swapping;
  const MapOutcome outcome = follower_->take();
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
  put_into_force();
  update.swap_us = swapping.elapsed_us();
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
