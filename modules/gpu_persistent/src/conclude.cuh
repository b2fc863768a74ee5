// The end of an alignment on a device: what the matched surfaces say of its pose, and the outcome that the host reads.
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/loop_outcome.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// What an ending is judged by.
struct MatchedSurfaces {
  ScanView scan;
  VoxelMapView map;
  const VoxelSurface* surfaces = nullptr;
  double mean_range_m = 0;
};

/// What the surfaces say of the pose the loop ended at.
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
            add_surface(matched.map, matched.surfaces, at, matched.scan.points[point], there > 0, lanes, part);
          },
          [] { return 0; })
      .sums;
}

/// One thread. The host may look at `end` until it is set. surfaces: null where they do not matter.
__device__ __noinline__ inline void write_outcome(const LoopState& state, const SurfaceInformation* surfaces,
                                                  LoopOutcome& out) {
  fill_outcome(state, out);
  for (int i = 0; i < SurfaceInformation::kEntries; ++i)
    out.surfaces[i] = surfaces != nullptr ? static_cast<float>(surfaces->entries[i]) : 0.0F;
  __threadfence_system();
  *const_cast<volatile LoopEnd*>(&out.end) = state.end;
}

/// By all threads of the team, whose blocks have the loop's state in shared memory.
template <class T>
__device__ void conclude(T& team, const MatchedSurfaces& matched, int max_iterations, LoopState& state,
                         LoopOutcome& out) {
  // An evaluation alone has no ending to be judged.
  if (max_iterations > 0 && surfaces_matter(state.end)) {
    const SurfaceInformation& surfaces = sum_surfaces(team, matched, state);
    team.once([&] { write_outcome(state, &surfaces, out); });
  } else {
    team.once([&] { write_outcome(state, nullptr, out); });
  }
}

}  // namespace ndt
