// The outcome of a finished loop, small enough to be the only thing that a device sends back.
#pragma once

#include <cstdint>

#include "ndt/score/surface_information.hpp"
#include "ndt/solve/loop_state.hpp"
#include "ndt/solve/push_test.hpp"

namespace ndt {

/// A loop's outcome, map-local. All of it belongs to the returned pose, which is the guess if there was no
/// overlap or a sum was not finite.
struct LoopOutcome {
  Pose pose;  ///< derivative branch
  double score = 0, nearest = 0;
  Vec6 gradient;
  double hessian[21] = {};  ///< upper triangle, row by row
  std::int64_t pairs = 0;
  std::int32_t points = 0;  ///< points with at least one voxel
  std::int16_t iterations = 0, evaluations = 0, oscillation = 0, fallbacks = 0;
  float finish_step_m = -1, finish_score = 0;  ///< of FinishStep; a negative length: there was none
  LoopStatus status = LoopStatus::running;
  /// SurfaceInformation at the pose if surfaces_matter(status), else 0. float32 suffices for condition
  /// numbers up to 1000.
  float surfaces[SurfaceInformation::kEntries] = {};
  float push_sigmas = 0;  ///< push_sigmas() if pushes_matter(status), else 0; kPushesAwaited until then
};
/// The value that the host writes before a device writes the cost, which is not negative and comes last.
inline constexpr float kPushesAwaited = -1;
static_assert(Limits::kIterations * StepSearch::kMaxTrials < 0x7FFF, "counts fit 16 bits");
static_assert(sizeof(LoopOutcome) == 400, "the one download of an alignment, without padding");

NDT_HD inline bool guess_returned(LoopStatus status) {
  return status == LoopStatus::no_overlap || status == LoopStatus::non_finite;
}

/// Whether the label of an ending depends on the surfaces.
NDT_HD inline bool surfaces_matter(LoopStatus status) {
  return status == LoopStatus::step_below_epsilon || status == LoopStatus::max_iterations;
}

/// Whether it depends on the cost of pushes.
NDT_HD inline bool pushes_matter(LoopStatus status) { return status == LoopStatus::step_below_epsilon; }

/// Number of sums over all blocks that an ending takes on a device: of the surfaces, and of the pushes. None
/// after a mere evaluation (no iterations), which has no ending to judge.
inline int ending_sums(const LoopOutcome& outcome, int max_iterations) {
  if (max_iterations == 0) return 0;
  return (surfaces_matter(outcome.status) ? 1 : 0) + (pushes_matter(outcome.status) ? 1 : 0);
}

/// Fills in all but the status, the surfaces and the cost of pushes.
NDT_HD inline void fill_outcome(const LoopState& state, LoopOutcome& out) {
  const EvaluatedPose& returned = guess_returned(state.status) ? state.guess : state.here;
  out.pose = returned.pose;
  out.score = returned.at.score;
  out.nearest = returned.at.nearest;
  out.gradient = returned.at.gradient;
  int entry = 0;
  for (int row = 0; row < 6; ++row)
    for (int col = row; col < 6; ++col) out.hessian[entry++] = returned.at.hessian(row, col);
  out.pairs = returned.at.pairs;
  out.points = static_cast<std::int32_t>(returned.at.points);
  const auto count = [](int n) { return static_cast<std::int16_t>(n); };
  out.iterations = count(state.iterations);
  out.evaluations = count(state.evaluations);
  out.oscillation = count(state.oscillation.longest());
  out.fallbacks = count(state.fallbacks);
  out.finish_step_m = static_cast<float>(state.region.finish_step_m);
  out.finish_score = static_cast<float>(state.region.finish_score);
}
/// Gives the outcome without the surfaces and the cost of pushes.
NDT_HD inline LoopOutcome outcome_of(const LoopState& state) {
  LoopOutcome out;
  fill_outcome(state, out);
  out.status = state.status;
  return out;
}

NDT_HD inline void set_surfaces(const SurfaceInformation& information, LoopOutcome& out) {
  for (int i = 0; i < SurfaceInformation::kEntries; ++i)
    out.surfaces[i] = static_cast<float>(information.entries[i]);
}
NDT_HD inline SurfaceInformation surfaces_of(const LoopOutcome& outcome) {
  SurfaceInformation information;
  for (int i = 0; i < SurfaceInformation::kEntries; ++i)
    information.entries[i] = static_cast<double>(outcome.surfaces[i]);
  return information;
}
NDT_HD inline Mat6 hessian_of(const LoopOutcome& outcome) {
  Mat6 hessian;
  int entry = 0;
  for (int row = 0; row < 6; ++row)
    for (int col = row; col < 6; ++col) hessian(row, col) = hessian(col, row) = outcome.hessian[entry++];
  return hessian;
}

}  // namespace ndt
