// Between the aligner interface and the Newton loop: options in, results out. Host only, shared by every row that runs the loop.
#pragma once

#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/solve/loop_outcome.hpp"

namespace ndt {

/// What a result needs to know of the scan beside the loop's outcome.
struct ScanFacts {
  std::int64_t points = 0, dropped = 0;
  double mean_range_m = 0;
};

/// The watch of persistent_align on the host: LoopEnd::cancelled or timeout once the caller wants the loop to end.
struct HostWatch {
  const PerScan& per_scan;
  LoopEnd operator()() const;
};

LoopOptions loop_options(const AlignOptions& options, const PerScan& per_scan, const Vec3<double>& map_origin);

/// The transform in map-local coordinates, and back.
Transform to_local(const Transform& map_from_scan, const Vec3<double>& map_origin);
Transform to_global(const Pose& local, const Vec3<double>& map_origin);

/// Labels the outcome honestly: converged only if the step rule was met and both the Hessian and the surfaces fix the pose;
/// at the iteration limit surfaces that leave a direction free make it degenerate, for no iteration would end that.
/// Non-finite and no-overlap outcomes return the guess untouched.
AlignResult to_result(const LoopOutcome& outcome, const Transform& guess, const Vec3<double>& map_origin,
                      const ScanFacts& scan, const std::vector<LoopTrace>& trace);

Evaluation to_evaluation(const LoopOutcome& outcome, const Vec3<double>& map_origin, const ScanFacts& scan);

}  // namespace ndt
