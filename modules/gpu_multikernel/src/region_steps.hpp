// The steps of a loop in a trust region: the choice of the first level, and one step in place of 9 to 15.
// Each has one worker per pose unless noted. The decisions are those of solve/trust_region.hpp.
#pragma once

#include "ndt/solve/trust_region.hpp"
#include "newton_steps.hpp"

namespace ndt::gpu_multikernel {

/// Before step 1, one worker per pose and surface point: the surfaces of a level for the poses that begin on
/// it so far.
struct FirstSurfaceStep {
  StepArguments args;
  int level;
  NDT_BODY void operator()(int index) const {
    const int count = surface_points(args.a.points, kFewSurfacePoints), k = index / count, i = index % count;
    write_surface(args, k, i, count, args.level(k) == level, args.levels[level],
                  shifted(args.state(k).loop.trial, args.options.region.levels[level].shift));
  }
};

/// Lets a pose begin one level finer if the surfaces summed for this one do not fix it.
struct FirstLevelStep {
  StepArguments args;
  int level;
  NDT_BODY void operator()(int k) const {
    if (args.level(k) != level) return;
    LoopState& loop = args.state(k).loop;
    SurfaceInformation information;
    for (int j = 0; j < SurfaceInformation::kEntries; ++j)
      information.entries[j] = args.a.sums[k * SurfaceInformation::kEntries + j];
    if (!fixes_the_pose(information)) TrustRegion::begin_on(level + 1, args.options, loop);
  }
};

/// Steps 9, 10, 14 and 15: judges the evaluated pose and chooses the next.
struct JudgeStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    if (!args.running(k)) return;
    LoopState& loop = args.state(k).loop;
    Derivatives at = derivatives_of_terms(args.a.sums + k * kTerms);
    add_regularisation(args.options.regularisation, loop.trial, at);
    TrustRegion::take(SoloCrew{}, at, args.options, loop);
    TrustRegion::commit(SoloCrew{}, {}, {}, args.options, loop, [&] { write_trace(args, k); });
  }
};

}  // namespace ndt::gpu_multikernel
