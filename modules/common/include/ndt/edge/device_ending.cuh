// The end of an alignment on a device: the information of the matched surfaces about its pose, what pushes of
// the pose cost, and the outcome for the host.
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/exec/device_clock.cuh"
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

/// One thread: writes the outcome to host memory, all but the status, and the cost of pushes if that is
/// awaited.
__device__ __noinline__ inline void write_outcome(const LoopState& state, const SurfaceInformation& surfaces,
                                                  bool pushes_awaited, LoopOutcome& out) {
  fill_outcome(state, out);
  set_surfaces(surfaces, out);
  if (!pushes_awaited) out.push_sigmas = 0;
}

/// The same thread: tells the host that the outcome is there. The host polls `status`, so a fence makes the
/// rest visible to it before.
__device__ inline void publish(LoopStatus status, LoopOutcome& out) {
  __threadfence_system();
  *const_cast<volatile LoopStatus*>(&out.status) = status;
}

/// Whether this thread writes the outcome of the team while the others go on: one that is not of the crew. In
/// a block with warps to spare, its warp has no points to sum.
template <class T>
__device__ bool writes_beside(const T& team) {
  return team.leads() && threadIdx.x == blockDim.x - 64;
}

/// Concludes an alignment with the surfaces of its last map and what pushes cost on it. All threads of the
/// team call it, with the loop's state in each block's shared memory. The host has everything else while the
/// pushes are summed. If a block is missing, the outcome says so or is never complete.
template <class T>
__device__ void conclude(T& team, const ScanView& scan, const LevelMap& map, const LoopOptions& options,
                         LoopState& state, LoopOutcome& out) {
  __shared__ alignas(16) unsigned char bytes[sizeof(PushScratch)];
  PushScratch& scratch = *reinterpret_cast<PushScratch*>(bytes);
  // Both tell how far an ending can be trusted, and a mere evaluation (no iterations) has no ending.
  if (options.max_iterations == 0 || !surfaces_matter(state.status)) {
    team.once([&] {
      write_outcome(state, {}, false, out);
      publish(state.status, out);
    });
    return;
  }
  team.replicated([&](const auto& crew) {
    crew.each(3, [&](int i) { state.at.set_angle(i, coordinate(state.here.pose, 3 + i)); });
  });
  const SurfacePose at(state.at.exact, state.here.pose, options.region.per_metre);
  enter(Section::surfaces);
  const SurfaceInformation& surfaces = sum_surfaces(team, scan, map, at);
  // A block that waited in vain sums no more, because others would take its words for good ones.
  const bool pushes = pushes_matter(state.status) && !team.broken();
  const bool writes = writes_beside(team);
  if (writes) write_outcome(state, surfaces, pushes, out);
  if (pushes)
    team.replicated(
        [&](const auto& crew) { prepare_pushes(crew, surfaces, at, options.region.push_m, scratch); });
  // After the barrier in replicated(), because the block would wait there for the fence.
  if (writes) publish(team.broken() ? LoopStatus::block_missing : state.status, out);
  if (!pushes) return;
  enter(Section::pushes);
  const PushSums<double>& sums = sum_pushes(team, scan, map, scratch);
  team.once([&] {
    const float sigmas = push_sigmas(sums, scan.size, options.region.score_error);
    if (!team.broken()) *const_cast<volatile float*>(&out.push_sigmas) = sigmas;
  });
  lap(Step::solve);
}

}  // namespace ndt
