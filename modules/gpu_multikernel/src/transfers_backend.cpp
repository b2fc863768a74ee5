#include "transfers_backend.hpp"

#include <cstddef>

#include "newton_steps.hpp"

namespace ndt::gpu_multikernel {
namespace {

double sum_of(const float* values, int length) {
  constexpr int kLanes = 8;
  double lanes[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= length; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += static_cast<double>(values[i + lane]);
  for (int lane = 0; i < length; ++i, ++lane) lanes[lane] += static_cast<double>(values[i]);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

}  // namespace

void sum_on_host(const float* values, int segments, int length, double* sums) {
  for (int s = 0; s < segments; ++s)
    sums[s] = sum_of(values + static_cast<std::size_t>(s) * static_cast<std::size_t>(length), length);
}

void solve_on_host(double* matrices, double* vectors, int* factorised, int systems) {
  const FactoriseStep factorise{matrices, vectors, factorised};
  for (int k = 0; k < systems; ++k) factorise(k);
}

}  // namespace ndt::gpu_multikernel
