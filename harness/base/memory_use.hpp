// The memory that this process takes, as the system and the GPU's driver see it.
#pragma once

#include <cstdint>
#include <optional>

namespace ndt::harness {

/// Host memory in use, from /proc/self/statm; 0 where there is none.
std::uint64_t resident_bytes();

/// Memory in use on the GPUs that the driver knows.
struct GpuMemory {
  std::uint64_t bytes = 0;
  bool own = false;  ///< of this process, as nvidia-smi lists it; else of all processes, as in a container
                     ///< that hides which of them is this one
};
/// From NVML, the library of nvidia-smi, which is loaded if it is there; nothing without it.
std::optional<GpuMemory> gpu_memory();

}  // namespace ndt::harness
