// The GPUs of this machine and their driver, for environment.json, doctor and --resume.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/cuda/device.hpp"

namespace ndt::harness {

/// Stands in what is said of a machine without one (cuda/device.cu).
inline constexpr std::string_view kNoDriver = "no NVIDIA driver is loaded";

/// Formats CUDA's 12080 as "12.8"; empty for 0, which is unknown.
std::string cuda_version(int version);

/// Returns the release in the first line of /proc/driver/nvidia/version, e.g. "570.86.15"; empty without one.
std::string driver_release(std::string_view version_line);
/// Returns the release of this machine's driver.
std::string driver_release();

/// Returns the "cuda" object of environment.json: unavailable, driver (highest CUDA version it takes),
/// driver_release, runtime, devices [name, compute_capability, multiprocessors, memory_bytes]; null is
/// unknown.
nlohmann::ordered_json cuda_json(const CudaState& state, const std::string& release);

/// Returns a line for every device, or one line with the reason why there is none or why none can be used.
std::vector<std::string> gpu_lines(const CudaState& state);

/// Describes driver and runtime in one line.
std::string driver_line(const CudaState& state, const std::string& release);

}  // namespace ndt::harness
