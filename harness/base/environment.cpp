#include "base/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <Eigen/Core>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/fnv1a.hpp"
#include "base/gpu_info.hpp"
#include "build_constants.hpp"
#include "commit.hpp"

namespace ndt::harness {
namespace {

/// Returns the rest of the first line that begins with `key`, without separators and quotes.
std::string value_in(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    line.erase(0, key.size());
    line.erase(0, line.find_first_not_of(" \t:=\""));
    if (line.ends_with('"')) line.pop_back();
    return line;
  }
  return {};
}

/// Returns how busy the machine is; negative if unknown.
double load_average() {
  double load = -1;
  return ::getloadavg(&load, 1) == 1 ? load : -1;
}

/// Returns the environment variables that change how OpenMP threads behave, if set.
nlohmann::ordered_json thread_variables() {
  nlohmann::ordered_json set = nlohmann::ordered_json::object();
  for (const char* name :
       {"OMP_NUM_THREADS", "OMP_WAIT_POLICY", "OMP_PROC_BIND", "OMP_DYNAMIC", "GOMP_SPINCOUNT"})
    if (const char* value = std::getenv(name)) set[name] = value;
  return set;
}

/// Returns a checksum of the machine's name and id: tells machines apart, and says nothing else of them.
std::string machine_mark() {
  utsname kernel{};
  ::uname(&kernel);
  Fnv1a mark;
  for (const char byte : kernel.nodename + std::string("/") + value_in("/etc/machine-id", ""))
    mark.add(static_cast<unsigned char>(byte));
  return fmt::format("{:016x}", mark.value());
}

bool plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("_-./,:=+@%").find(c) != std::string_view::npos;
}

std::string quoted(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string cpu_model() {
  const std::string model = value_in("/proc/cpuinfo", "model name");
  return model.empty() ? "unknown" : model;
}

const BuildInfo& build_info() {
  static const std::string eigen =
      fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
  static const BuildInfo info{NDT_VERSION,     NDT_COMMIT,         NDT_COMPILER,      NDT_BUILD_FLAGS,
                              NDT_BUILD_TYPE,  NDT_BUILD_SANITIZE, NDT_CUDA_VERSION,  NDT_CUDA_MISSING,
                              NDT_PCL_VERSION, NDT_PCL_MISSING,    NDT_HAVE_LZF != 0, eigen};
  return info;
}

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::string operating_system() {
  utsname kernel{};
  ::uname(&kernel);
  const std::string name = value_in("/etc/os-release", "PRETTY_NAME");
  return fmt::format("{}, {} {} {}", name.empty() ? "unknown" : name, kernel.sysname, kernel.release,
                     kernel.machine);
}

std::string utc_now(bool compact) {
  const std::tm now = fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  return compact ? fmt::format("{:%Y%m%dT%H%M%SZ}", now) : fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now);
}

std::string command_line(std::span<const char* const> words) {
  std::string out;
  for (const char* word : words) out += (out.empty() ? "" : " ") + quoted(word);
  return out;
}

std::string environment_json(const std::string& run_id, const std::string& command,
                             const std::map<std::string, std::string>& solvers) {
  const BuildInfo& build = build_info();
  nlohmann::ordered_json j;
  j["run_id"] = run_id;
  j["date_utc"] = utc_now();
  j["commit"] = build.commit;
  j["command_line"] = command;
  j["compiler"] = build.compiler;
  j["flags"] = build.flags;
  j["build_type"] = build.build_type;
  j["sanitizers"] = build.sanitizers;
  j["machine"] = machine_mark();
  j["cpu_model"] = cpu_model();
  j["cores"] = core_count();
  j["os"] = operating_system();
  j["cuda"] = cuda_json(cuda_state(), driver_release());
  if (!solvers.empty()) j["solvers"] = solvers;
  j["versions"] = {
      {"ndt", build.version},
      {"libstdc++", fmt::format("{}", _GLIBCXX_RELEASE)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                    NLOHMANN_JSON_VERSION_PATCH)}};
  j["load_average_1_min"] = load_average();
  j["variables"] = thread_variables();
  const auto or_null = [](std::string_view version) {
    return version.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(version);
  };
  j["versions"]["eigen"] = build.eigen_version;
  j["versions"]["pcl"] = or_null(build.pcl_version);
  j["versions"]["cuda_toolkit"] = or_null(build.cuda_toolkit);
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ndt::harness
