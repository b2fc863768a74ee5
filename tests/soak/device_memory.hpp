// Memory of the device as the device tells it, whoever took it.
#pragma once

#include <cstdint>

namespace ndt::soak {

/// Taken on device 0 by all processes [KiB]; 0 if there is no device, or no CUDA in this build.
std::int64_t device_kib();

}  // namespace ndt::soak
