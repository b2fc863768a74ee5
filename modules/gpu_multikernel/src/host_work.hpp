// The host's own work in multikernel_transfers_cuda: the sums and the solutions of the staged steps.
#pragma once

namespace ndt::gpu_multikernel {

/// sums[s] = Σ values[s length .. (s + 1) length), in double, in an order that depends on the length alone:
/// eight sums side by side, so that none waits for an addition of another.
void sum_on_host(const float* values, int segments, int length, double* sums);

/// As FactoriseStep: LDLᵀ of `systems` matrices [36], the solutions in place of the vectors [6], and
/// factorised[k], which is 1 where matrix k is not positive definite and its vector is void, else 0.
void solve_on_host(double* matrices, double* vectors, int* factorised, int systems);

}  // namespace ndt::gpu_multikernel
