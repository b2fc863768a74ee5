#include "ndt/localization/following_map.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <list>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ndt/core/error.hpp"
#include "ndt/io/clouds.hpp"
#include "ndt/io/tiled_map.hpp"
#include "ndt/localization/aligner_per_map.hpp"
#include "ndt/localization/map_follower.hpp"

namespace ndt::localization {

using io::HeldTiles;
using io::MapArea;
using io::MapFiles;
using io::MapTile;
using io::StoredPoints;

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

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

/// The members that its header hides.
class FollowingMap::State {
 public:
  State(MapFiles files, const FollowingSetting& setting, const Make& make);

  const MapFiles& files() const { return files_; }
  const MapFollowing& options() const { return setting_.options; }
  Aligner& aligner() const { return *aligner_; }
  PointCloud cloud() const;
  std::size_t version() const { return use_.updates; }
  std::size_t tiles() const { return in_force_.size(); }
  PointCloud picture() const;
  const MapUse& use() const { return use_; }

  std::optional<DeviceBytes> device_bytes() const;

  void wait_for_due() const;
  std::optional<MapUpdate> before_scan();
  bool building() const { return follower_->building(); }
  bool out_of_range() const;
  const MapCircle& in_force() const { return follower_->policy().in_force(); }
  void jump_to(const Transform& map_from_scan);
  void after_scan(const Transform& map_from_scan);

 private:
  /// Some points of tiles. What came into force later is behind, so that nothing is looked up or moved then.
  using Pictures = std::list<std::map<const MapTile*, std::vector<Vec3<double>>>>;
  /// The result of the thread; read when it was taken.
  struct Next {
    HeldTiles tiles;
    Pictures pictures{};      ///< of tiles that have none yet
    std::int64_t points = 0;  ///< filtered
    double read_ms = 0, build_ms = 0;
    std::shared_ptr<const ReadyMap> map{};  ///< null if the tiles stay the same
    std::optional<Traffic> traffic{};       ///< of the resident map
  };
  void choose_aligner(const HeldTiles& first, const Make& make);
  PointCloud filtered(PointCloud cloud) const {
    return setting_.filter ? setting_.filter(std::move(cloud)) : cloud;
  }
  Next read(const MapArea& area) const;
  Pictures pictures_of(const HeldTiles& tiles) const;
  void build(Next& next);
  void make_map(Next& next);
  std::shared_ptr<const ReadyMap> build_next(const MapCircle& around);
  bool due() const;
  bool late() const;  ///< the next scan needs the map that is being built, which it counts as waiting
  double waited() const;
  MapUpdate take();
  void count(const MapUpdate& update);
  void put_into_force();

  const MapFiles files_;
  FollowingSetting setting_;
  std::unique_ptr<Aligner> aligner_;
  AlignerPerMap* per_map_ = nullptr;       ///< the same, if maps are made of whole clouds
  std::unique_ptr<ResidentMap> resident_;  ///< otherwise
  HeldTiles in_force_;
  HeldTiles before_;  ///< in force before, until the thread of the next update gives their memory back
  Next next_;
  Pictures pictures_;  ///< each tile once
  MapUse use_;
  std::optional<Traffic> resident_traffic_;
  MapPlace vehicle_;
  bool jumped_ = false;
  int scans_beside_ = 0;  ///< that an update worked beside
  std::optional<MapFollower> follower_;
};

FollowingMap::State::State(MapFiles files, const FollowingSetting& setting, const Make& make)
    : files_(with_places(std::move(files))),
      setting_(setting),
      in_force_(files_),
      before_(files_),
      next_{HeldTiles(files_)},
      vehicle_(setting.first.centre) {
  if (setting_.first.radius_m == 0) setting_.first.radius_m = setting_.options.radius_m;
  const MapUpdatePolicy policy(setting_.options, setting_.first);
  next_ = read(area_of(setting_.first));
  choose_aligner(next_.tiles, make);
  build(next_);
  aligner_->exchange_map(std::move(next_.map));
  put_into_force();
  use_.tiles_read = use_.most_tiles = in_force_.size();
  follower_.emplace(*aligner_, policy, [this](const MapCircle& around) { return build_next(around); });
}

/// Tile by tile if it can: filters work on the cloud of all.
void FollowingMap::State::choose_aligner(const HeldTiles& first, const Make& make) {
  aligner_ = make();
  if (!setting_.filter && first.float_clouds()) resident_ = aligner_->resident_map();
  if (resident_) return;
  auto per_map = std::make_unique<AlignerPerMap>(make);
  per_map_ = per_map.get();
  aligner_ = std::move(per_map);
}

FollowingMap::State::Next FollowingMap::State::read(const MapArea& area) const {
  const Clock::time_point reading = Clock::now();
  Next next{in_force_.moved_to(area)};
  next.pictures = pictures_of(next.tiles);
  next.read_ms = ms_since(reading);
  return next;
}

FollowingMap::State::Pictures FollowingMap::State::pictures_of(const HeldTiles& tiles) const {
  Pictures pictures(1);
  tiles.for_each_read([&](const MapTile& tile, const StoredPoints& points) {
    const auto has_it = [&](const auto& some) { return some.contains(&tile); };
    if (std::ranges::none_of(pictures_, has_it)) pictures.front()[&tile] = some_of(points);
  });
  if (pictures.front().empty()) pictures.clear();
  return pictures;
}

void FollowingMap::State::build(Next& next) {
  const Clock::time_point building = Clock::now();
  make_map(next);
  next.build_ms = ms_since(building);
}

void FollowingMap::State::make_map(Next& next) {
  const auto clouds = resident_ ? next.tiles.float_clouds() : std::nullopt;
  if (!clouds) {
    const PointCloud cloud = filtered(next.tiles.cloud());
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
std::shared_ptr<const ReadyMap> FollowingMap::State::build_next(const MapCircle& around) {
  before_ = HeldTiles(files_);
  next_ = read(area_of(around));
  if (next_.tiles.changed()) build(next_);  // a map whose tiles stay the same stays
  return std::move(next_.map);
}

std::optional<DeviceBytes> FollowingMap::State::device_bytes() const {
  const std::optional<Traffic> aligners = aligner_->traffic();
  if (!aligners) return std::nullopt;
  const Traffic maps = resident_traffic_.value_or(Traffic());
  return DeviceBytes{aligners->device_bytes + maps.device_bytes,
                     aligners->peak_device_bytes + maps.peak_device_bytes};
}

/// Exchanges pointers only, and takes or gives back no memory: the scan's thread calls this.
void FollowingMap::State::put_into_force() {
  pictures_.splice(pictures_.end(), next_.pictures);
  before_ = std::exchange(in_force_, std::exchange(next_.tiles, HeldTiles(files_)));
  resident_traffic_ = next_.traffic;
}

PointCloud FollowingMap::State::picture() const {
  std::vector<Vec3<double>> all;
  std::map<const MapTile*, const std::vector<Vec3<double>>*> in_order;
  for (const auto& pictures : pictures_)
    for (const auto& [tile, some] : pictures) in_order[tile] = &some;
  for (const auto& [tile, some] : in_order) all.insert(all.end(), some->begin(), some->end());
  return io::cloud_of(all, files_.name());
}

PointCloud FollowingMap::State::cloud() const { return filtered(in_force_.cloud()); }

bool FollowingMap::State::due() const {
  return setting_.real_time ? follower_->ready() : follower_->building() && scans_beside_ > 0;
}

void FollowingMap::State::wait_for_due() const {
  if (!setting_.real_time && due() && !late()) follower_->wait();
}

bool FollowingMap::State::late() const { return follower_->building() && (jumped_ || out_of_range()); }

bool FollowingMap::State::out_of_range() const {
  return follower_->policy().need(vehicle_) == MapNeed::out_of_range;
}

std::optional<MapUpdate> FollowingMap::State::before_scan() {
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

void FollowingMap::State::jump_to(const Transform& map_from_scan) {
  vehicle_ = {map_from_scan(0, 3), map_from_scan(1, 3)};
  jumped_ = true;
}

void FollowingMap::State::after_scan(const Transform& map_from_scan) {
  vehicle_ = {map_from_scan(0, 3), map_from_scan(1, 3)};
  if (follower_->building() || !follower_->policy().due(vehicle_)) return;
  follower_->begin(vehicle_);
  scans_beside_ = 0;
}

double FollowingMap::State::waited() const {
  const Clock::time_point waiting = Clock::now();
  follower_->wait();
  return ms_since(waiting);
}

MapUpdate FollowingMap::State::take() {
  MapUpdate update;
  follower_->wait();
  const Clock::time_point swapping = Clock::now();
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
  update.swap_us = 1000 * ms_since(swapping);
  count(update);
  return update;
}

void FollowingMap::State::count(const MapUpdate& update) {
  ++use_.updates;
  use_.tiles_read += update.added;
  use_.most_tiles = std::max(use_.most_tiles, in_force_.size());
  use_.read_ms += update.read_ms, use_.build_ms += update.build_ms;
  use_.longest_swap_us = std::max(use_.longest_swap_us, update.swap_us);
}

FollowingMap::FollowingMap(const std::filesystem::path& map, const FollowingSetting& setting,
                           const Make& make)
    : FollowingMap(MapFiles(map), setting, make) {}
FollowingMap::FollowingMap(MapFiles files, const FollowingSetting& setting, const Make& make)
    : state_(std::make_unique<State>(std::move(files), setting, make)) {}
FollowingMap::FollowingMap(FollowingMap&&) noexcept = default;
FollowingMap& FollowingMap::operator=(FollowingMap&&) noexcept = default;
FollowingMap::~FollowingMap() = default;

const MapFiles& FollowingMap::files() const { return state_->files(); }
const MapFollowing& FollowingMap::options() const { return state_->options(); }
Aligner& FollowingMap::aligner() const { return state_->aligner(); }
PointCloud FollowingMap::cloud() const { return state_->cloud(); }
std::size_t FollowingMap::version() const { return state_->version(); }
std::size_t FollowingMap::tiles() const { return state_->tiles(); }
PointCloud FollowingMap::picture() const { return state_->picture(); }
const MapUse& FollowingMap::use() const { return state_->use(); }
std::optional<DeviceBytes> FollowingMap::device_bytes() const { return state_->device_bytes(); }
void FollowingMap::wait_for_due() const { state_->wait_for_due(); }
std::optional<MapUpdate> FollowingMap::before_scan() { return state_->before_scan(); }
bool FollowingMap::building() const { return state_->building(); }
bool FollowingMap::out_of_range() const { return state_->out_of_range(); }
const MapCircle& FollowingMap::in_force() const { return state_->in_force(); }
void FollowingMap::jump_to(const Transform& map_from_scan) { state_->jump_to(map_from_scan); }
void FollowingMap::after_scan(const Transform& map_from_scan) { state_->after_scan(map_from_scan); }

}  // namespace ndt::localization
