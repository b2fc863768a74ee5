// The GPUs of this machine and their driver, as environment.json, doctor and --resume want them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/cuda/device.hpp"

namespace ndt::harness {

/// "12.8" of CUDA's 12080; empty for 0, which is unknown.
std::string cuda_version(int version);

/// The release that the first line of /proc/driver/nvidia/version names, e.g. "570.86.15"; empty without one.
std::string driver_release(std::string_view version_line);
/// The same of this machine's driver.
std::string driver_release();

/// Of environment.json: unavailable, driver (highest CUDA version it takes), driver_release, runtime, devices [name,
/// compute_capability, multiprocessors, memory_bytes]; null is unknown.
nlohmann::ordered_json cuda_json(const CudaState& state, const std::string& release);

/// A line for every device, or one that says why there is none; a device that cannot be used says why.
std::vector<std::string> gpu_lines(const CudaState& state);

/// Driver and runtime in one line.
std::string driver_line(const CudaState& state, const std::string& release);

}  // namespace ndt::harness
