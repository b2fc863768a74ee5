// The persistent body: a whole alignment in one call. Workers of different blocks meet only in sum(), once
// per evaluation; whether they meet there at a barrier is the team's matter (GridTeam's blocks have none,
// they wait for tagged words).
#pragma once

#include <type_traits>

#include "ndt/core/counters.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/score/level_map.hpp"
#include "ndt/solve/loop_outcome.hpp"
#include "ndt/solve/trust_region.hpp"

namespace ndt::gpu_persistent {

/// The blocks of an alignment: of the whole grid or a part of it, of a cluster, or one.
enum class TeamKind { grid, cluster, block };

/// Every evaluation is one sum, and so is each of the ending. A grid's blocks exchange a sum without a
/// barrier, a cluster's wait at one, after one at their start. fetch_barrier: whether the kernel waits until
/// all blocks have fetched the scan.
inline Meetings meetings_of(TeamKind team, const LoopOutcome& outcome, int max_iterations,
                            bool fetch_barrier) {
  if (team == TeamKind::block) return {};
  const int sums = outcome.evaluations + ending_sums(outcome, max_iterations);
  return {sums, team == TeamKind::cluster ? 1 + sums : fetch_barrier ? 1 : 0};
}

/// The data that every worker reads.
struct AlignInput {
  ScanView scan;
  LoopOptions options;
  LevelMap levels[kMostMaps];  ///< coarse to fine, and the windows
  int coarse_stride = 1;       ///< every n-th point is used on all but the last
};

/// A watch that never ends the loop. A watch gives LoopStatus::running, or the reason for which the loop is
/// to end early. One worker asks it, once per evaluation.
struct NoWatch {
  NDT_BODY LoopStatus operator()() const { return LoopStatus::running; }
};

/// Sums the scan at the loop's motion, and asks the watch on the way. beside: for teams that have such work
/// done on the way, too.
template <Team T, class Ask, class... Beside>
NDT_BODY decltype(auto) sum_derivatives(ClampedSteps, T& team, const AlignInput& input,
                                        const LoopState& state, Ask&& ask, Beside&&... beside) {
  return team.template sum<DerivativeSums>(
      AllItems{input.scan.size},
      [&](int first, int count, const auto& lanes, auto& part) {
        add_scan_points(input.levels[0].view, input.levels[0].gauss, state.at.motion,
                        input.scan.points + first, count, lanes, part);
      },
      ask, beside...);
}

/// Sums the same on the map of the loop's level, with its share of the negative curvature.
template <Team T, class Ask>
NDT_BODY decltype(auto) sum_derivatives(TrustRegion, T& team, const AlignInput& input, const LoopState& state,
                                        Ask&& ask) {
  const LevelMap& level = input.levels[state.region.level];
  const Gauss<float> gauss = with_curvature(level.gauss, state.region.curvature_share);
  const int stride = state.region.level >= input.options.region.last ? 1 : input.coarse_stride;
  return team.template sum<DerivativeSums>((input.scan.size + stride - 1) / stride,
                                           [&](int first, int count, const auto& lanes, auto& part) {
                                             Point points[std::remove_cvref_t<decltype(lanes)>::kPoints];
                                             for (int i = 0; i < count; ++i)
                                               points[i] = input.scan.points[(first + i) * stride];
                                             add_scan_points(level.view, gauss, state.at.motion, points,
                                                             count, lanes, part);
                                           },
                                           ask);
}

/// One thread: writes the accepted pose to the first line's trace.
NDT_BODY NDT_NOINLINE inline void write_trace(const LoopState& state, LoopTrace& first) {
  (&first)[state.iterations] = trace_line(state);
}

/// Aligns from `state`, which is block-local (on the CPU: the worker's own), starts as Steps::begin() left
/// it, and is the same everywhere at the end, unless a block is missing. `trace` belongs to the team and
/// holds max_iterations + 1 lines, or is null. Steps: ClampedSteps or TrustRegion. ending: what the team does
/// of it beside the last evaluation, such as EndingBeside, or nothing.
template <class Steps, Team T, class Watch, class... Ending>
NDT_BODY void persistent_align(T& team, const AlignInput& input, const Watch& watch, LoopState& state,
                               LoopTrace* trace, Ending&... ending) {
  while (state.status == LoopStatus::running) {
    (ending.begin(team, state), ...);
    const Total<DerivativeSums<double>>& total = sum_derivatives(
        Steps{}, team, input, state, [&] { return static_cast<int>(watch()); },
        [&] { ending.start(team, state); }...);
    team.replicated(
        [&](const auto& crew) {
          const auto proposal = Steps::propose(crew, total.sums, input.options, state);
          if (total.answer == kBlockMissing)
            crew.one([&] { state.status = LoopStatus::block_missing; });
          else if (state.status == LoopStatus::running && total.answer != 0)
            Steps::interrupt(crew, static_cast<LoopStatus>(total.answer), input.options, state);
          return proposal;
        },
        [&](const auto& crew, const auto& proposal) {
          Steps::commit(crew, proposal, total.sums, input.options, trace != nullptr, state, [&] {
            if (trace != nullptr && state.accepted && team.leads()) write_trace(state, *trace);
          });
        },
        [&] { ending.gather(team); }...);
  }
}

}  // namespace ndt::gpu_persistent
