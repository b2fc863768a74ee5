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

/// What the team shares. One barrier lies between two uses of a signal, so two of them are enough.
struct Shared {
  LoopState end;
  LoopEnd signals[2] = {LoopEnd::running, LoopEnd::running};
};

/// A watch says LoopEnd::running, or how the loop is to end early. One worker asks it, once per evaluation.
struct NoWatch {
  NDT_BODY LoopEnd operator()() const { return LoopEnd::running; }
};

/// `state` is block-local (on the CPU: the worker's own) and starts as begin_loop() left it; `shared` and `trace` are the
/// team's. `trace` holds max_iterations + 1 lines, or is null.
template <Team T, class Watch>
NDT_BODY void persistent_align(T& team, const Problem& problem, const Watch& watch, LoopState& state, Shared* shared,
                               LoopTrace* trace) {
  while (state.end == LoopEnd::running) {
    LoopEnd& signal = shared->signals[state.evaluations & 1];
    team.once([&] { signal = watch(); });
    const DerivativeSums<double> sums =
        team.template sum<DerivativeSums>(problem.scan.size, [&](int first, int count, const auto& lanes, auto& part) {
          add_scan_points(problem.map, problem.gauss, state.motion, problem.scan.points + first, count, lanes, part);
        });
    team.replicated([&] {
      advance(sums, problem.options, state);
      if (state.end == LoopEnd::running) state.end = signal;
    });
    if (trace != nullptr && state.accepted) team.once([&] { trace[state.iterations] = trace_line(state); });
  }
  team.once([&] { shared->end = state; });
}

}  // namespace ndt::gpu_persistent
