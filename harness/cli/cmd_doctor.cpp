// ndt-bench doctor: what this program and this machine have, found where, and what is missing. Changes
// nothing.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/gpu_info.hpp"
#include "base/programs.hpp"
#include "base/project_folder.hpp"
#include "cli/commands.hpp"
#include "io/map_metadata.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

struct Arguments {};

void say(std::string_view what, std::string_view found) {
  fmt::print("{:<16} {}\n", what, printable_name(found));
}

/// A build without CUDA cannot ask for devices; the driver's own tool can.
std::string seen_by_the_driver() {
  const std::string tool = find_program("nvidia-smi");
  if (tool.empty()) return "";
  const auto answer =
      output_of({tool, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"});
  if (!answer || answer->empty()) return "";
  std::string lines = *answer;
  for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos;) lines.replace(at, 1, "; ");
  return fmt::format("; nvidia-smi finds {}", lines);
}

void say_gpus() {
  const CudaState& state = cuda_state();
  std::vector<std::string> lines = gpu_lines(state);
  if (state.devices.empty()) lines.back() += seen_by_the_driver();
  for (const std::string& line : lines) say("GPU", line);
  say("NVIDIA driver", driver_line(state, driver_release()));
}

/// What this program was built with, or what it would take.
std::string pcl(const BuildInfo& build) {
  if (build.pcl_left_out.empty())
    return fmt::format("{} at build time: the implementation pcl_ndt can run", build.pcl_version);
  return fmt::format("left out of this build: {}; optional", build.pcl_left_out);
}

std::string python() {
  const std::string tool = find_program("python3");
  if (tool.empty())
    return "missing: python3 is not on PATH; needed for the command-line tests and reports only";
  std::string text = fmt::format("{} ({})", output_of({tool, "--version"}).value_or("does not run"), tool);
  for (const char* module : {"pandas", "matplotlib", "jinja2", "pytest"}) {
    const bool found = output_of(python_words(tool, fmt::format("import {}", module))).has_value();
    text += fmt::format(", {}{}", found ? "" : "no ", module);
  }
  return text;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return "not set";
  std::error_code ignored;
  return fmt::format("{}{}", value, std::filesystem::is_directory(value, ignored) ? "" : " (not a folder)");
}

/// The folder that presets, catalogue and report are below.
std::string project_files() {
  try {
    return project_folder("harness/presets").parent_path().parent_path().string();
  } catch (const InputError& error) {
    return fmt::format("missing: {}", error.what());
  }
}

ExitCode doctor(const Arguments&) {
  const BuildInfo& build = build_info();
  say("ndt-bench", fmt::format("{}, commit {}", build.version, build.commit));
  say("compiler", build.compiler);
  say("build", fmt::format("{}: {}{}{}", build.build_type, build.flags,
                           build.sanitizers.empty() ? "" : " -fsanitize=", build.sanitizers));
  say("CPU", fmt::format("{}, {} cores", cpu_model(), core_count()));
  say("system", operating_system());
  say("CUDA toolkit", build.cuda_toolkit.empty()
                          ? fmt::format("left out of this build: {}", build.cuda_left_out)
                          : fmt::format("{} at build time", build.cuda_toolkit));
  say_gpus();
  say("PCL", pcl(build));
  say("liblzf", build.lzf
                    ? "built in: binary_compressed PCD files can be read"
                    : "missing at build time (Debian: liblzf-dev): binary_compressed PCD files are refused");
  say("yaml-cpp",
      map_metadata_readable()
          ? "built in: metadata of maps in tiles can be read"
          : "missing at build time (Debian: libyaml-cpp-dev): metadata of maps in tiles is refused");
  say("Python", python());
  say("project files", project_files());
  say("NDT_DATASETS", variable("NDT_DATASETS"));
  say("NDT_GOLDEN_DIR", variable("NDT_GOLDEN_DIR"));
  return ExitCode::ok;
}

}  // namespace

void add_doctor(CLI::App& app, Command& chosen) {
  add_command(app, chosen, "doctor",
              "Compiler, CUDA, driver, GPU, PCL, Python: found where, or what is missing",
              std::make_shared<Arguments>(), doctor);
}

}  // namespace ndt::harness
