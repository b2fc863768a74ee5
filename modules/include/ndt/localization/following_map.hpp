// A map in tiles that follows the vehicle. A thread of its own reads the tiles that come near, and builds the
// next map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ndt/align/aligner.hpp"
#include "ndt/localization/map_following.hpp"

namespace ndt::io {
class MapFiles;
}

namespace ndt::localization {

/// How a map follows.
struct FollowingSetting {
  MapFollowing options;  ///< radius and distances
  MapCircle first;       ///< of the first map; its radius may be larger than the options', 0: it is theirs
  /// Filters the cloud of every map; nothing: no filter.
  std::function<PointCloud(PointCloud)> filter{};
  bool real_time = false;  ///< a scan takes the map that is ready, and waits for none
};

/// An update that was taken before a scan.
struct MapUpdate {
  MapCircle around;      ///< asked for
  bool swapped = false;  ///< another map came into force; false without an error: it has the same tiles
  std::string error;     ///< why the map before is still in force; empty: none

  // The map that came into force:
  std::size_t added = 0, removed = 0;  ///< tiles
  std::int64_t points = 0;             ///< of its cloud, filtered

  double read_ms = 0, build_ms = 0;  ///< beside the alignments, as far as it came
  double waited_ms = 0;              ///< that the scan waited, because the vehicle was about to leave its map
  double swap_us = 0;  ///< all that the scan's thread does to put the map that is ready into force
};

/// The memory of a device, as this program counts what it has taken.
struct DeviceBytes {
  std::int64_t held = 0;  ///< now
  std::int64_t most = 0;  ///< so far
};

/// The use of maps in a whole localisation.
struct MapUse {
  std::size_t updates = 0;                     ///< maps that came into force after the first
  std::size_t failed = 0;                      ///< updates that failed
  std::size_t tiles_read = 0, most_tiles = 0;  ///< the first map's, too; of one map
  double read_ms = 0, build_ms = 0;            ///< of the updates
  std::size_t waits = 0;                       ///< scans that waited
  double waited_ms = 0;                        ///< by them
  double longest_swap_us = 0;                  ///< as MapUpdate has it
};

/// An update that is begun after a scan works beside the next one. The scan after that waits for its map, so
/// that no clock decides what a scan sees. In real time, the first scan by which the map is ready takes it.
/// If the vehicle is about to leave its map, the very next scan waits.
class FollowingMap {
 public:
  /// Gives an aligner without a map.
  using Make = std::function<std::unique_ptr<Aligner>()>;

  /// Reads the first map of a folder of tiles with metadata, or of the metadata
  /// (pointcloud_map_metadata.yaml). `make` is called once, or where maps are made of whole clouds (filters,
  /// float64 tiles, an implementation without a resident map) once for each map. Throws InputError for files
  /// that cannot be read, std::invalid_argument as validate() does or for files without metadata, and what
  /// Aligner::set_map throws.
  FollowingMap(const std::filesystem::path& map, const FollowingSetting& setting, const Make& make);
  /// As above, of files that were looked up before.
  FollowingMap(io::MapFiles files, const FollowingSetting& setting, const Make& make);
  FollowingMap(FollowingMap&&) noexcept;             ///< moves
  FollowingMap& operator=(FollowingMap&&) noexcept;  ///< moves
  ~FollowingMap();

  const io::MapFiles& files() const;    ///< of all the map
  const MapFollowing& options() const;  ///< as they were given
  Aligner& aligner() const;             ///< has the map in force
  PointCloud cloud() const;             ///< the map in force, made anew from its tiles
  std::size_t version() const;          ///< how often a map came into force
  std::size_t tiles() const;            ///< of the map in force
  /// Some points of every tile that was in force so far, as they are in its file.
  PointCloud picture() const;
  const MapUse& use() const;  ///< so far

  /// Device memory: the aligner's, and that of tiles and maps after the last build. Nothing on the CPU.
  std::optional<DeviceBytes> device_bytes() const;

  /// Waits for the map that the next scan takes. It is called before the scan is read, so that the work on
  /// the scan finds a core that has not slept. In real time nothing is waited for.
  void wait_for_due() const;
  /// Puts a map into force that is due, and tells what became of the update.
  std::optional<MapUpdate> before_scan();
  bool building() const;  ///< whether an update is worked on beside the scan
  /// A scan may see beyond the map in force, because no update of it succeeded.
  bool out_of_range() const;
  const MapCircle& in_force() const;  ///< the circle that is held
  /// The next scan is expected here, and waits for the map of this place.
  void jump_to(const Transform& map_from_scan);
  /// Begins an update where the scan's pose asks for one.
  void after_scan(const Transform& map_from_scan);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ndt::localization
