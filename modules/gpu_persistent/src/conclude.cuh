// The end of an alignment on a device: the information of the matched surfaces about its pose, and the
// outcome for the host.
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/loop_outcome.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// The data from which the surfaces' information is summed.
struct MatchedSurfaces {
  ScanView scan;
  VoxelMapView map;
  const VoxelSurface* surfaces = nullptr;
  double mean_range_m = 0;
};

/// Sums the surfaces' information about the pose at which the loop ended.
template <class T>
__device__ const SurfaceInformation& sum_surfaces(T& team, const MatchedSurfaces& matched, LoopState& state) {
  team.replicated(
      [&](const auto& crew) {
        crew.each(3, [&](int i) { state.at.set_angle(i, coordinate(state.here.pose, 3 + i)); });
      },
      [](const auto&) {});
  const SurfacePose at(state.at.exact, state.here.pose, matched.mean_range_m);
  const int count = surface_points(matched.scan.size);
  return team
      .template sum<SurfaceSums>(
          count,
          [&](int i, int there, const auto& lanes, auto& part) {
            const auto point = static_cast<int>(static_cast<std::int64_t>(i) * matched.scan.size / count);
            add_surface(matched.map, matched.surfaces, at, matched.scan.points[point], there > 0, lanes,
                        part);
          },
          [] { return 0; })
      .sums;
}

/// One thread: writes the outcome to host memory. The host polls `status`, so `status` is written last, after
/// a fence that makes the rest visible to the host. surfaces: null if they do not matter.
__device__ __noinline__ inline void write_outcome(const LoopState& state, const SurfaceInformation* surfaces,
                                                  LoopOutcome& out) {
  fill_outcome(state, out);
  for (int i = 0; i < SurfaceInformation::kEntries; ++i)
    out.surfaces[i] = surfaces != nullptr ? static_cast<float>(surfaces->entries[i]) : 0.0F;
  __threadfence_system();
  *const_cast<volatile LoopStatus*>(&out.status) = state.status;
}

/// Concludes an alignment. All threads of the team call it, with the loop's state in each block's shared
/// memory.
template <class T>
__device__ void conclude(T& team, const MatchedSurfaces& matched, int max_iterations, LoopState& state,
                         LoopOutcome& out) {
  // Surfaces tell how far an ending can be trusted, and a mere evaluation (no iterations) has no ending.
  if (max_iterations > 0 && surfaces_matter(state.status)) {
    const SurfaceInformation& surfaces = sum_surfaces(team, matched, state);
    team.once([&] { write_outcome(state, &surfaces, out); });
  } else {
    team.once([&] { write_outcome(state, nullptr, out); });
  }
}

}  // namespace ndt
