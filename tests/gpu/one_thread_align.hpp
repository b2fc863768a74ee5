// The persistent body run by a single GPU thread: no team of its own yet, but every line of the shared core
// on the device.
#pragma once

#include <string>

#include "persistent_align.hpp"

namespace ndt {

/// Why no device can be used, or empty.
std::string no_device_reason();

/// Copies scan and map to the device and aligns there with SerialTeam. The map must lie in its dense window
/// entirely. Throws std::runtime_error on a CUDA error.
LoopState align_on_one_gpu_thread(const gpu_persistent::AlignInput& input, const LoopState& start);

}  // namespace ndt
