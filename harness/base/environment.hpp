// Tells where numbers were measured: what this program was built from, and the machine.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace ndt::harness {

struct BuildInfo {
  std::string_view version;        ///< of the project
  std::string_view commit;         ///< 40 digits, "-dirty" added if tracked files differed, or "unknown"
  std::string_view compiler;       ///< name and version
  std::string_view flags;          ///< optimisation flags of C++ code
  std::string_view build_type;     ///< CMake's
  std::string_view sanitizers;     ///< value of -fsanitize, empty without
  std::string_view cuda_toolkit;   ///< version, empty if CUDA was left out
  std::string_view cuda_left_out;  ///< why it was left out
  std::string_view pcl_version;    ///< empty if PCL was left out
  std::string_view pcl_left_out;   ///< why it was left out
  bool lzf;                        ///< compressed PCD files can be read and written
  std::string_view eigen_version;
};

const BuildInfo& build_info();

/// Returns the processor's name in /proc/cpuinfo, or "unknown".
std::string cpu_model();
/// Returns the number of cores that this process may use, at least 1.
int core_count();
/// Returns distribution and kernel.
std::string operating_system();
/// Returns the time in UTC, ISO 8601: "2025-01-31T12:00:00Z", or "20250131T120000Z" in `compact` form for
/// names.
std::string utc_now(bool compact = false);
/// Quotes and joins words so that a shell would split the text into the same words.
std::string command_line(std::span<const char* const> words);

/// An entry of environment.json, as a JSON pointer, and what a message calls it.
struct MachineEntry {
  const char* pointer;
  const char* name;
};
/// Times are compared only where all of these are the same.
inline constexpr std::array kMachineEntries{
    MachineEntry{"/cpu_model", "processor"}, MachineEntry{"/cores", "number of cores"},
    MachineEntry{"/cuda/devices", "GPU"}, MachineEntry{"/machine", "machine"}};

/// Returns the text of environment.json: commit, date, compiler, flags, processor, system, GPUs, versions of
/// the libraries, and the solvers (registry/registry.hpp) unless there are none.
std::string environment_json(const std::string& run_id, const std::string& command,
                             const std::map<std::string, std::string>& solvers = {});

}  // namespace ndt::harness
