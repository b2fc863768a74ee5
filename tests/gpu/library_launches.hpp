// How many kernels the library calls of multikernel_cuda start: as its traffic counts them, and as a stream
// capture sees them.
#pragma once

namespace ndt::gpu_multikernel {

struct Launches {
  int counted = 0, captured = 0;
};

/// Count the launches of 6x6 solves and of segmented sums, after a first call that loads what they need.
/// Throw std::runtime_error.
Launches launches_of_solve(int systems);
Launches launches_of_sum(int segments, int length);

}  // namespace ndt::gpu_multikernel
