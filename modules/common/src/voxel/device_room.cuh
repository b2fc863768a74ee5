// Asks whether a device has room before memory is taken.
#pragma once

#include "ndt/cuda/context.cuh"
#include "ndt/voxel/map_memory.hpp"

namespace ndt {

/// Throws InputError as the other require_device_room() unless the context's device has `needed` bytes.
inline void require_device_room(cuda::Context& context, std::uint64_t needed) {
  require_device_room(needed, context.available(needed));
}

}  // namespace ndt
