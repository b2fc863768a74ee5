#include "ndt/core/range_kernels.hpp"

#include "range_kernels_body.hpp"

namespace ndt {

#if defined(NDT_X86_64_V3)
extern const RangeKernels kX86_64_v3RangeKernels;
#endif

namespace {

const RangeKernels kBaseline{"baseline", [] { return true; }, add_near};

struct Usable {
  const RangeKernels* kernels[2] = {&kBaseline};
  std::size_t count = 1;

  Usable() {
#if defined(NDT_X86_64_V3)
    if (kX86_64_v3RangeKernels.usable()) kernels[count++] = &kX86_64_v3RangeKernels;
#endif
  }
};

}  // namespace

std::span<const RangeKernels* const> usable_range_kernels() {
  static const Usable usable;
  return {usable.kernels, usable.count};
}

}  // namespace ndt
