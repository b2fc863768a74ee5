// THE body: a whole alignment without returning to whoever started it. One barrier per iteration, inside sum().
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/solve/newton_loop.hpp"

namespace ndt::gpu_persistent {

/// What every worker reads.
struct Problem {
  ScanView scan;
  VoxelMapView map;
  Gauss<float> gauss;
  LoopOptions options;
};

/// `state` is block-local (on the CPU: the worker's own) and starts as begin_loop() left it; `out` and `trace` are the
/// team's. `trace` holds max_iterations + 1 lines, or is null.
template <Team T>
NDT_BODY void persistent_align(T& team, const Problem& problem, LoopState& state, LoopState* out, LoopTrace* trace) {
  while (state.end == LoopEnd::running) {
    const DerivativeSums<double> sums =
        team.template sum<DerivativeSums>(problem.scan.size, [&](int first, int count, const auto& lanes, auto& part) {
          add_scan_points(problem.map, problem.gauss, state.motion, problem.scan.points + first, count, lanes, part);
        });
    team.replicated([&] { advance(sums, problem.options, state); });
    if (trace != nullptr && state.accepted)
      team.once([&] {
        trace[state.iterations] = {state.here.pose, state.here.at.score, state.here.at.nvtl(), state.step};
      });
  }
  team.once([&] { *out = state; });
}

}  // namespace ndt::gpu_persistent
