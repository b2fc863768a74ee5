// The persistent body: a whole alignment in one call. Workers of different blocks meet only in sum(), once
// per evaluation; whether they meet there at a barrier is the team's matter (GridTeam's blocks have none,
// they wait for tagged words).
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/solve/newton_loop.hpp"

namespace ndt::gpu_persistent {

/// The data that every worker reads.
struct AlignInput {
  ScanView scan;
  VoxelMapView map;
  Gauss<float> gauss;
  LoopOptions options;
};

/// A watch that never ends the loop. A watch gives LoopStatus::running, or the reason for which the loop is
/// to end early. One worker asks it, once per evaluation.
struct NoWatch {
  NDT_BODY LoopStatus operator()() const { return LoopStatus::running; }
};

/// Aligns from `state`, which is block-local (on the CPU: the worker's own), starts as begin_loop() left it,
/// and is the same everywhere at the end. `trace` belongs to the team and holds max_iterations + 1 lines, or
/// is null.
template <Team T, class Watch>
NDT_BODY void persistent_align(T& team, const AlignInput& input, const Watch& watch, LoopState& state,
                               LoopTrace* trace) {
  while (state.status == LoopStatus::running) {
    const Total<DerivativeSums<double>>& total = team.template sum<DerivativeSums>(
        input.scan.size,
        [&](int first, int count, const auto& lanes, auto& part) {
          add_scan_points(input.map, input.gauss, state.at.motion, input.scan.points + first, count, lanes,
                          part);
        },
        [&] { return static_cast<int>(watch()); });
    team.replicated(
        [&](const auto& crew) {
          propose(crew, total.sums, input.options, state);
          if (state.status == LoopStatus::running && total.answer != 0)
            crew.one([&] { state.status = static_cast<LoopStatus>(total.answer); });
        },
        [&](const auto& crew) {
          commit(crew, input.options, state, [&] {
            if (trace != nullptr && state.accepted && team.leads())
              trace[state.iterations] = trace_line(state);
          });
        });
  }
}

}  // namespace ndt::gpu_persistent
