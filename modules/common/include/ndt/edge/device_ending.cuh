// The end of an alignment on a device: the information of the matched surfaces about its pose, what pushes of
// the pose cost, and the outcome for the host.
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/score/level_map.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/loop_outcome.hpp"

namespace ndt {

/// Most sums of an ending: surfaces and pushes.
inline constexpr unsigned kEndingSums = 2;
/// Threads that share a point: many, because points are few and each waits for its voxels.
inline constexpr int kEndingWidth = 8;

/// Sums the information of a map's surfaces about a pose.
template <class T>
__device__ const SurfaceInformation& sum_surfaces(T& team, const ScanView& scan, const LevelMap& map,
                                                  const SurfacePose& at) {
  const int count = surface_points(scan.size);
  return team
      .template sum<SurfaceSums, kEndingWidth>(
          count,
          [&](int i, int there, const auto& lanes, auto& part) {
            const auto point = static_cast<int>(static_cast<std::int64_t>(i) * scan.size / count);
            add_surface(map.view, map.surfaces, at, scan.points[point], there > 0, lanes, part);
          },
          [] { return 0; })
      .sums;
}

/// The same from few points, in every block by itself: no block waits for another.
template <class T>
__device__ const SurfaceInformation& sum_few_surfaces(T& team, const ScanView& scan, const LevelMap& map,
                                                      const SurfacePose& at) {
  static_assert(kFewSurfacePoints <= T::kFew);
  const int count = surface_points(scan.size, kFewSurfacePoints);
  return team.template sum_alike<SurfaceSums>(count, [&](int i, int there, const auto& lanes, auto& part) {
    const auto point = static_cast<int>(static_cast<std::int64_t>(i) * scan.size / count);
    add_surface(map.view, map.surfaces, at, scan.points[point], there > 0, lanes, part);
  });
}

/// Sums what the scratch's pushes cost.
template <class T>
__device__ const PushSums<double>& sum_pushes(T& team, const ScanView& scan, const LevelMap& map,
                                              const PushScratch& scratch) {
  const int count = pushed_points(scan.size);
  return team
      .template sum<PushSums, kEndingWidth>(
          kPushes * count,
          [&](int i, int there, const auto& lanes, auto& part) {
            const auto point = static_cast<int>(static_cast<std::int64_t>(i / kPushes) * scan.size / count);
            add_push(map, scratch.motions, scan.points[point], i % kPushes, there > 0, lanes, part);
          },
          [] { return 0; })
      .sums;
}

/// One thread: writes the outcome to host memory. The host polls `status`, so `status` is written last, after
/// a fence that makes the rest visible to the host.
__device__ __noinline__ inline void write_outcome(const LoopState& state, const SurfaceInformation& surfaces,
                                                  float pushes, LoopOutcome& out) {
  fill_outcome(state, out);
  set_surfaces(surfaces, out);
  out.push_sigmas = pushes;
  __threadfence_system();
  *const_cast<volatile LoopStatus*>(&out.status) = state.status;
}

/// Concludes an alignment with the surfaces of its last map and what pushes cost on it. All threads of the
/// team call it, with the loop's state in each block's shared memory.
template <class T>
__device__ void conclude(T& team, const ScanView& scan, const LevelMap& map, const LoopOptions& options,
                         LoopState& state, LoopOutcome& out) {
  __shared__ SurfaceInformation surfaces;
  __shared__ alignas(16) unsigned char bytes[sizeof(PushScratch)];
  PushScratch& scratch = *reinterpret_cast<PushScratch*>(bytes);
  // Both tell how far an ending can be trusted, and a mere evaluation (no iterations) has no ending.
  if (options.max_iterations == 0 || !surfaces_matter(state.status)) {
    team.once([&] { write_outcome(state, {}, 0, out); });
    return;
  }
  team.replicated(
      [&](const auto& crew) {
        crew.each(3, [&](int i) { state.at.set_angle(i, coordinate(state.here.pose, 3 + i)); });
      },
      [](const auto&) {});
  const SurfacePose at(state.at.exact, state.here.pose, options.region.per_metre);
  const SurfaceInformation& sums = sum_surfaces(team, scan, map, at);
  const bool pushes = pushes_matter(state.status);
  team.replicated(
      [&](const auto& crew) {
        crew.one([&] { surfaces = sums; });
        if (pushes) prepare_pushes(crew, surfaces, at, options.region.push_m, scratch);
      },
      [](const auto&) {});
  const float sigmas =
      pushes ? push_sigmas(sum_pushes(team, scan, map, scratch), scan.size, options.region.score_error) : 0;
  team.once([&] { write_outcome(state, surfaces, sigmas, out); });
}

}  // namespace ndt
