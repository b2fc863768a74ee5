// The end of an alignment on a device: the information of the matched surfaces about its pose, what pushes of
// the pose cost, and the outcome for the host.
#pragma once

#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/exec/device_clock.cuh"
#include "ndt/exec/grid_team.cuh"
#include "ndt/exec/warp_crew.cuh"
#include "ndt/score/level_map.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/loop_outcome.hpp"

namespace ndt {

/// Most sums of an ending: surfaces and pushes.
inline constexpr unsigned kEndingSums = 2;
/// Threads that share a point: many, because points are few and each waits for its voxels.
inline constexpr int kEndingWidth = 8;

/// Adds what an item of a sample of a scan tells about a pose.
struct SurfaceTerms {
  const ScanView& scan;
  const LevelMap& map;
  const SurfacePose& at;
  Sample sample;
  template <class Lanes, class Part>
  __device__ void operator()(int i, int there, const Lanes& lanes, Part& part) const {
    const Point x = there > 0 ? scan.points[sample.number(i)] : Point{};
    add_surface(map.view, map.surfaces, at, x, there > 0, lanes, part);
  }
};

/// Sums the information of a map's surfaces about a pose.
template <class T>
__device__ const SurfaceInformation& sum_surfaces(T& team, const ScanView& scan, const LevelMap& map,
                                                  const SurfacePose& at) {
  const Sample sample{surface_points(scan.size), scan.size};
  const SurfaceTerms terms{scan, map, at, sample};
  return team.template sum<SurfaceSums, kEndingWidth>(sample, terms, [] { return 0; }).sums;
}

/// Sums the same from few points, in every block by itself: no block waits for another.
template <class T>
__device__ const SurfaceInformation& sum_few_surfaces(T& team, const ScanView& scan, const LevelMap& map,
                                                      const SurfacePose& at) {
  static_assert(kFewSurfacePoints <= T::kFew);
  const Sample sample{surface_points(scan.size, kFewSurfacePoints), scan.size};
  return team.template sum_alike<SurfaceSums>(sample.items, SurfaceTerms{scan, map, at, sample});
}

/// Sums what the scratch's pushes cost.
template <class T>
__device__ const PushSums<double>& sum_pushes(T& team, const ScanView& scan, const LevelMap& map,
                                              const PushScratch& scratch) {
  const Sample sample{pushed_points(scan.size), scan.size, kPushes};
  return team
      .template sum<PushSums, kEndingWidth>(
          sample,
          [&](int i, int there, const auto& lanes, auto& part) {
            add_push(map, scratch.motions, scan.points[sample.number(i)], i % kPushes, there > 0, lanes,
                     part);
          },
          [] { return 0; })
      .sums;
}

/// A block's working space for its pushes.
__device__ inline PushScratch& push_scratch() {
  __shared__ alignas(16) unsigned char bytes[sizeof(PushScratch)];
  return *reinterpret_cast<PushScratch*>(bytes);
}

/// One thread: writes the outcome to host memory, all but the status, and the cost of pushes if that is
/// awaited.
__device__ __noinline__ inline void write_outcome(const LoopState& state, const SurfaceInformation& surfaces,
                                                  bool pushes_awaited, LoopOutcome& out) {
  fill_outcome(state, out);
  set_surfaces(surfaces, out);
  if (!pushes_awaited) out.push_sigmas = 0;
}

/// Tells the host, in the thread of write_outcome(), that the outcome is there. The host polls `status`, so a
/// fence makes the rest visible before `status`.
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

/// All threads of the team: finds what the scratch's pushes cost, the last that the host waits for.
template <class T>
__device__ void try_pushes(T& team, const ScanView& scan, const LevelMap& map, const LoopOptions& options,
                           LoopOutcome& out) {
  enter(Section::pushes);
  const PushSums<double>& sums = sum_pushes(team, scan, map, push_scratch());
  team.once([&] {
    const float sigmas = push_sigmas(sums, scan.size, options.region.score_error);
    if (!team.broken()) *const_cast<volatile float*>(&out.push_sigmas) = sigmas;
  });
  lap(Step::solve);
}

/// Whether an ending looks at the surfaces. They and the pushes tell how far it can be trusted, and a mere
/// evaluation (no iterations) has no ending.
__device__ inline bool looks_at_surfaces(const LoopOptions& options, const LoopState& state) {
  return options.max_iterations > 0 && surfaces_matter(state.status);
}

/// Concludes an alignment with the surfaces of its last map and what pushes cost on it. All threads of the
/// team call it, with the loop's state in each block's shared memory. The host has everything else while the
/// pushes are summed. If a block is missing, the outcome says so or is never complete. per_metre: of
/// SurfacePose.
template <class T>
__device__ void conclude(T& team, const ScanView& scan, const LevelMap& map, const LoopOptions& options,
                         double per_metre, LoopState& state, LoopOutcome& out) {
  if (!looks_at_surfaces(options, state)) {
    team.once([&] {
      write_outcome(state, {}, false, out);
      publish(state.status, out);
    });
    return;
  }
  team.replicated([&](const auto& crew) {
    crew.each(3, [&](int i) { state.at.set_angle(i, coordinate(state.here.pose, 3 + i)); });
  });
  const SurfacePose at(state.at.exact, state.here.pose, per_metre);
  enter(Section::surfaces);
  const SurfaceInformation& surfaces = sum_surfaces(team, scan, map, at);
  // A block that waited in vain sums no more, because others would take its words for good ones.
  const bool pushes = pushes_matter(state.status) && !team.broken();
  const bool writes = writes_beside(team);
  if (writes) write_outcome(state, surfaces, pushes, out);
  if (pushes)
    team.replicated(
        [&](const auto& crew) { prepare_pushes(crew, surfaces, at, options.region.push_m, push_scratch()); });
  // After the barrier in replicated(), because the block would wait there for the fence.
  if (writes) publish(team.broken() ? LoopStatus::block_missing : state.status, out);
  if (pushes) try_pushes(team, scan, map, options, out);
}

/// An ending of which the second crew of a grid's block does a part beside the last evaluation of the loop,
/// where that is known to be the last: it sums the surfaces. Then it finds the pushes, while the crew commits
/// and tells the host everything else.
class EndingBeside {
 public:
  /// allowed: if not, it never begins.
  __device__ EndingBeside(const ScanView& scan, const LevelMap& map, const LoopOptions& options,
                          double per_metre, bool allowed)
      : scan_(scan), map_(map), options_(options), per_metre_(per_metre), allowed_(allowed) {}

  /// Before an evaluation, in all threads alike.
  __device__ void begin(const GridTeam& team, const LoopState& state) {
    begun_ = allowed_ && state.ends_next && team.has_side_sum<kEndingWidth>(sample());
  }
  /// For the second crew.
  __device__ void start(const GridTeam& team, const LoopState& state) const {
    if (begun_) sum_part(team.side_part(), scan_, map_, state, per_metre_);
  }
  /// For all but the crew.
  __device__ void gather(GridTeam& team) const {
    if (begun_) team.gather_side_sum<SurfaceSums>();
  }

  /// For all, after the loop: as conclude() of the whole ending, with the same bits.
  __device__ void conclude(GridTeam& team, LoopState& state, LoopOutcome& out) const {
    enter(Section::surfaces);
    // The crew has told the status before it commits, and leaves the trial as it is.
    // A block that waited in vain sums no more, because others would take its words for good ones.
    const bool known = begun_ && looks_at_surfaces(options_, state),
               pushes = known && pushes_matter(state.status) && !team.broken();
    if (known) count_meeting(Meeting::exchange);
    if (known && team.is_second_crew()) {
      const SurfaceInformation& surfaces = team.side_sum<SurfaceSums>();
      const SurfacePose at(state.at.exact, state.trial, per_metre_);
      if (pushes) prepare_pushes(WarpCrew{}, surfaces, at, options_.region.push_m, push_scratch());
    }
    if (known && team.is_crew() && team.leads()) {
      const SurfaceInformation& surfaces = team.side_sum<SurfaceSums>();
      WarpCrew::one([&] {
        write_outcome(state, surfaces, pushes, out);
        publish(team.broken() ? LoopStatus::block_missing : state.status, out);
      });
    }
    block_barrier();
    lap(Step::solve);
    if (!known) return ndt::conclude(team, scan_, map_, options_, per_metre_, state, out);
    if (pushes) try_pushes(team, scan_, map_, options_, out);
  }

 private:
  __device__ Sample sample() const { return {surface_points(scan_.size), scan_.size}; }
  /// Not inlined, so that the loop's instructions stay close together.
  __device__ __noinline__ static void sum_part(const GridTeam::SidePart to, const ScanView& scan,
                                               const LevelMap& map, const LoopState& state,
                                               double per_metre) {
    const Sample sample{surface_points(scan.size), scan.size};
    const SurfacePose at(state.at.exact, state.trial, per_metre);
    GridTeam::sum_side_part<SurfaceSums, kEndingWidth>(to, sample, SurfaceTerms{scan, map, at, sample});
  }

  const ScanView& scan_;
  const LevelMap& map_;
  const LoopOptions& options_;
  double per_metre_;
  bool allowed_, begun_ = false;
};

}  // namespace ndt
