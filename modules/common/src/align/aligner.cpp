#include "ndt/align/aligner.hpp"

#include <fmt/format.h>

#include "ndt/core/error.hpp"

namespace ndt {

std::optional<Stop> interruption(const PerScan& per_scan) {
  if (per_scan.stop.stop_requested()) return Stop::cancelled;
  if (per_scan.deadline && std::chrono::steady_clock::now() >= *per_scan.deadline) return Stop::timeout;
  return std::nullopt;
}

void throw_no_valid_voxel(const MapInfo& info, std::int64_t occupied_voxels, const AlignOptions& options) {
  throw InputError(
      fmt::format("set_map: no valid voxel: {} finite points ({} non-finite dropped) occupy {} voxels of {} m, none "
                  "with {} points or "
                  "more; give a denser map or a larger resolution",
                  info.points, info.dropped_points, occupied_voxels, options.resolution_m, options.min_points));
}

}  // namespace ndt
