// The map in tiles that follows the vehicle of a localisation: reads what comes near on its own thread, and
// takes the time.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "data/preparation.hpp"
#include "ndt/io/held_tiles.hpp"
#include "ndt/localization/aligner_per_map.hpp"
#include "ndt/localization/map_follower.hpp"
#include "ndt/localization/map_update.hpp"

namespace ndt::harness {

struct FollowingSetting {
  localization::MapFollowing options;
  ScanPreparation filters;  ///< of every map
  MapArea first;            ///< a place, whose reach may be larger than the options' radius
  bool real_time = false;
};

/// An update that is begun after a scan works beside the next one. Its map is in force from the scan after
/// that on, which waits for it, so that no clock decides what a scan sees; in real time, from the first scan
/// by which it is ready. Where the vehicle is about to leave its map, the very next scan waits.
class FollowingMap {
 public:
  using Make = std::function<std::unique_ptr<Aligner>()>;

  /// Reads the first map. `make` gives an aligner without a map: one, or where maps are made of whole clouds
  /// (filters, float64 tiles, an implementation without a resident map) one for each map. Throws as
  /// MapFiles::load and Aligner::set_map do, and std::invalid_argument as localization::validate does or for
  /// files without metadata.
  FollowingMap(MapFiles files, const FollowingSetting& setting, const Make& make);

  const MapFiles& files() const { return files_; }
  const localization::MapFollowing& options() const { return setting_.options; }
  Aligner& aligner() const { return *aligner_; }
  /// The map in force, made anew from its tiles, and how often one came into force.
  PointCloud cloud() const;
  std::size_t version() const { return use_.updates; }
  std::size_t tiles() const { return in_force_.size(); }
  /// Some points of every tile that was in force so far, as they are in its file.
  PointCloud picture() const;
  const MapUse& use() const { return use_; }

  /// Device memory: the aligner's, and that of tiles and maps after the last build. Nothing on the CPU.
  std::optional<DeviceBytes> device_bytes() const;

  /// Waits for the map that is in force from the next scan on: before the scan is read, so that its work
  /// finds a core that has not slept. In real time nothing is waited for.
  void wait_for_due() const;
  /// Puts a map into force that is due, and tells what became of the update.
  std::optional<MapUpdate> before_scan();
  /// An update is worked on beside the scan.
  bool building() const { return follower_->building(); }
  /// A scan may see beyond the map in force, because no update of it succeeded.
  bool out_of_range() const;
  const localization::MapCircle& in_force() const { return follower_->policy().in_force(); }
  /// The next scan is expected here, and waits for the map of this place.
  void jump_to(const Transform& map_from_scan);
  /// Begins an update where the scan's pose asks for one.
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
  Next read(const MapArea& area) const;
  Pictures pictures_of(const HeldTiles& tiles) const;
  void build(Next& next);
  void make_map(Next& next);
  std::shared_ptr<const ReadyMap> build_next(const localization::MapCircle& around);
  bool due() const;
  bool late() const;  ///< the next scan needs the map that is being built, which it counts as waiting
  double waited() const;
  MapUpdate take();
  void count(const MapUpdate& update);
  void put_into_force();

  const MapFiles files_;
  FollowingSetting setting_;
  std::unique_ptr<Aligner> aligner_;
  localization::AlignerPerMap* per_map_ = nullptr;  ///< the same, if maps are made of whole clouds
  std::unique_ptr<ResidentMap> resident_;           ///< otherwise
  HeldTiles in_force_;
  HeldTiles before_;  ///< in force before, until the thread of the next update gives their memory back
  Next next_;
  Pictures pictures_;  ///< each tile once
  MapUse use_;
  std::optional<Traffic> resident_traffic_;
  localization::MapPlace vehicle_;
  bool jumped_ = false;
  int scans_beside_ = 0;  ///< that an update worked beside
  std::optional<localization::MapFollower> follower_;
};

}  // namespace ndt::harness
