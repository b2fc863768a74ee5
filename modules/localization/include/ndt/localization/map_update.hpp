// The facts told about a map that follows the vehicle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ndt/localization/map_update_policy.hpp"

namespace ndt::harness {

/// An update that was taken before a scan.
struct MapUpdate {
  localization::MapCircle around;
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
  std::int64_t held = 0, most = 0;
};

/// The use of maps in a whole localisation.
struct MapUse {
  std::size_t updates = 0,
              failed = 0;  ///< maps that came into force after the first, and updates that failed
  std::size_t tiles_read = 0, most_tiles = 0;  ///< the first map's, too; of one map
  double read_ms = 0, build_ms = 0;            ///< of the updates
  std::size_t waits = 0;
  double waited_ms = 0, longest_swap_us = 0;
};

}  // namespace ndt::harness
