#include "ndt/core/range_kernels.hpp"

namespace ndt {

extern const RangeKernels kBaselineRangeKernels, kX86_64_v3RangeKernels;

namespace {

struct UsableRangeKernels {
  const RangeKernels* kernels[2] = {&kBaselineRangeKernels};
  std::size_t count = 1;

  UsableRangeKernels() {
#if defined(NDT_X86_64_V3)
    if (kX86_64_v3RangeKernels.usable()) kernels[count++] = &kX86_64_v3RangeKernels;
#endif
  }
};

}  // namespace

std::span<const RangeKernels* const> usable_range_kernels() {
  static const UsableRangeKernels usable;
  return {usable.kernels, usable.count};
}

}  // namespace ndt
