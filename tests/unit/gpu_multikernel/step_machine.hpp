// Something that runs single steps of the staged implementations on arrays in host memory: the same cases
// then try the steps on the host and on a device. Which one is decided by what a test program is linked with.
#pragma once

#include <memory>
#include <string>

#include "staged_state.hpp"

namespace ndt::gpu_multikernel {

/// In the order of the schedule. sum and sum_trials are step 8 and its part in step 12, solve the solver's
/// part of step 9.
enum class Step {
  begin,
  sin_cos,
  transform,
  jacobian,
  point_hessian,
  transform_points,
  neighbours,
  score_gradient_hessian,
  sum,
  arrive,
  flag,
  newton_system,
  solve,
  newton_fix_up,
  direction,
  trials,
  batch_transform,
  batch_score,
  sum_trials,
  select,
  update_pose
};

class StepMachine {
 public:
  virtual ~StepMachine() = default;
  /// All pointers of the frame are the host's, its map lies in its dense window entirely. Throws
  /// std::runtime_error.
  virtual void run(const StepArguments& args, Step step) = 0;
  /// sums[s] = Σ values[s length .. (s + 1) length).
  virtual void sum_segments(const float* values, int segments, int length, double* sums) = 0;
  /// Whether it may fuse a * b + c, so that the same formula in two steps may differ in the last bit.
  virtual bool contracts() const = 0;
};

/// Why there is none here, or empty.
std::string no_step_machine_reason();
std::unique_ptr<StepMachine> make_step_machine();

}  // namespace ndt::gpu_multikernel
