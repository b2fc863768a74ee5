#include "base/gpu_info.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

json or_null(const std::string& text) { return text.empty() ? json() : json(text); }

std::string compute_capability(const CudaDevice& device) {
  return fmt::format("{}.{}", device.major, device.minor);
}

/// Digits with dots between them, at least one dot.
bool is_release(std::string_view word) {
  return word.find('.') != std::string_view::npos &&
         word.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::string cuda_version(int version) {
  return version == 0 ? "" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string driver_release(std::string_view version_line) {
  std::istringstream words{std::string(version_line)};
  for (std::string word; words >> word;)
    if (is_release(word)) return word;
  return {};
}

std::string driver_release() {
  std::ifstream in("/proc/driver/nvidia/version");
  std::string line;
  std::getline(in, line);
  return driver_release(line);
}

json cuda_json(const CudaState& state, const std::string& release) {
  json devices = json::array();
  for (const CudaDevice& device : state.devices)
    devices.push_back({{"name", device.name},
                       {"compute_capability", compute_capability(device)},
                       {"multiprocessors", device.multiprocessors},
                       {"memory_bytes", device.memory_bytes}});
  return {{"unavailable", or_null(state.unavailable)},
          {"driver", or_null(cuda_version(state.driver))},
          {"driver_release", or_null(release)},
          {"runtime", or_null(cuda_version(state.runtime))},
          {"devices", std::move(devices)}};
}

std::vector<std::string> gpu_lines(const CudaState& state) {
  std::vector<std::string> lines;
  for (const CudaDevice& device : state.devices)
    lines.push_back(fmt::format("{}, compute capability {}, {} multiprocessors, {:.1f} GiB", device.name,
                                compute_capability(device), device.multiprocessors,
                                static_cast<double>(device.memory_bytes) / (1 << 30)));
  if (!state.unavailable.empty()) lines.push_back("no implementation can use one: " + state.unavailable);
  return lines;
}

std::string driver_line(const CudaState& state, const std::string& release) {
  if (release.empty() && state.driver == 0) return fmt::format("missing: {}", kNoDriver);
  std::string line = release.empty() ? "release unknown" : release;
  if (state.driver != 0) line += fmt::format(", takes CUDA up to {}", cuda_version(state.driver));
  if (state.runtime != 0) line += fmt::format("; this build's runtime is {}", cuda_version(state.runtime));
  return line;
}

}  // namespace ndt::harness
