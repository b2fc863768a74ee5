#include "ndt/score/point_kernels.hpp"

#include <atomic>

#include "point_kernels_list.hpp"

namespace ndt {
namespace {

struct Usable {
  const PointKernels* kernels[2] = {};
  std::size_t count = 0;

  Usable() {
    add(kBaselinePointKernels);
#if defined(NDT_X86_64_V3)
    add(kX86_64_v3PointKernels);
#endif
  }
  void add(const PointKernels& one) {
    if (one.usable()) kernels[count++] = &one;
  }
};

std::atomic<const PointKernels*>& in_use() {
  static std::atomic<const PointKernels*> kernels{usable_point_kernels().back()};
  return kernels;
}

}  // namespace

std::span<const PointKernels* const> usable_point_kernels() {
  static const Usable usable;
  return {usable.kernels, usable.count};
}

const PointKernels& point_kernels() { return *in_use().load(std::memory_order_relaxed); }

void use_point_kernels(const PointKernels& kernels) { in_use().store(&kernels, std::memory_order_relaxed); }

NearVoxels near_voxels_outside(const VoxelMapView& map, const Vec3<float>& p) { return map.near_voxels(p); }

}  // namespace ndt
