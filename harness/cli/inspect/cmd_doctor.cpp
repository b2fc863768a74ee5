// ndt-bench doctor: what this program and this machine have, found where, and what is missing.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/gpu_info.hpp"
#include "base/programs.hpp"
#include "base/project_folder.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/print.hpp"
#include "ndt/core/error.hpp"
#include "ndt/io/map_metadata.hpp"
#include "ndt/score/point_kernels.hpp"
#include "registry/registry.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

struct DoctorCommand {
  bool json = false;
};

/// A line for people, and the same as a key with a value.
struct Finding {
  std::string what, found, key;
  json value;
};
using Findings = std::vector<Finding>;

json or_null(std::string_view text) { return text.empty() ? json() : json(text); }

/// A part that a build may leave out.
json part_json(std::string_view version, std::string_view left_out) {
  return {{"version", or_null(version)}, {"left_out", or_null(left_out)}};
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

void find_gpus(Findings& findings) {
  const CudaState& state = cuda_state();
  const std::string release = driver_release(), driver = driver_line(state, release);
  std::vector<std::string> lines = gpu_lines(state);
  if (state.devices.empty()) lines.back() += seen_by_the_driver();
  for (const std::string& line : lines) findings.push_back({"GPU", line, "", {}});
  const bool said =
      !lines.empty() && driver.starts_with("missing") && lines.back().find(kNoDriver) != std::string::npos;
  findings.push_back({"NVIDIA driver", said ? "missing" : driver, "cuda", cuda_json(state, release)});
}

/// Tells the PCL that this program was built with, or why it was left out.
std::string pcl(const BuildInfo& build) {
  if (build.pcl_left_out.empty())
    return fmt::format("{} at build time: the implementation pcl_ndt can run", build.pcl_version);
  return fmt::format("left out of this build: {}; optional", build.pcl_left_out);
}

/// The modules that reports and tests need; the version is empty if a module cannot be imported.
std::vector<std::pair<std::string, std::string>> module_versions(const std::string& python) {
  constexpr const char* kAsk =
      "pass\n"
      "for name in 'pandas', 'matplotlib', 'jinja2', 'pytest':\n"
      "  try: print(name, __import__(name).__version__)\n"
      "  except Exception: print(name)";
  std::vector<std::pair<std::string, std::string>> versions{
      {"pandas", ""}, {"matplotlib", ""}, {"jinja2", ""}, {"pytest", ""}};
  std::istringstream lines(output_of(python_words(python, kAsk)).value_or(""));
  for (std::string line; std::getline(lines, line);)
    for (auto& [module, version] : versions)
      if (line.starts_with(module + " ")) version = line.substr(module.size() + 1);
  return versions;
}

/// The Python that makes reports, and what it has of what they need.
Finding python() {
  Finding finding{"Python", "", "python", {{"path", nullptr}}};
  const std::string tool = find_report_python();
  if (tool.empty()) {
    finding.found = "missing: python3 is not on PATH; needed for the command-line tests and reports only";
    return finding;
  }
  finding.value = {{"path", tool},
                   {"version", or_null(output_of({tool, "--version"}).value_or(""))},
                   {"modules", json::object()}};
  std::string modules, missing, packages;
  for (const auto& [module, version] : module_versions(tool)) {
    finding.value["modules"][module] = or_null(version);
    modules += version.empty() ? fmt::format(", no {}", module) : fmt::format(", {} {}", module, version);
    if (!version.empty() || module == "pytest") continue;
    missing += fmt::format(" {}", module);
    packages += fmt::format(" python3-{}", module);
  }
  finding.value["reports"] = missing.empty();
  finding.found =
      fmt::format("{} ({}){}", output_of({tool, "--version"}).value_or("does not run"), tool, modules);
  if (!missing.empty())
    finding.found += fmt::format("; report, compare and trajectory need{} (on Debian: apt-get install{})",
                                 missing, packages);
  return finding;
}

Finding variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return {name, "not set", name, nullptr};
  std::error_code ignored;
  return {name,
          fmt::format("{}{}", value, std::filesystem::is_directory(value, ignored) ? "" : " (not a folder)"),
          name, value};
}

/// The folder that presets, catalogue and report are below.
Finding project_files() {
  try {
    const std::string folder = project_folder("harness/presets").parent_path().parent_path().string();
    return {"project files", folder, "project_files", folder};
  } catch (const InputError& error) {
    return {"project files", fmt::format("missing: {}", error.what()), "project_files", nullptr};
  }
}

Findings build_findings() {
  const BuildInfo& build = build_info();
  const std::string flags = fmt::format("{}: {}{}{}", build.build_type, build.flags,
                                        build.sanitizers.empty() ? "" : " -fsanitize=", build.sanitizers);
  return {{"ndt-bench",
           fmt::format("{}, commit {}", build.version, build.commit),
           "ndt_bench",
           {{"version", build.version}, {"commit", build.commit}}},
          {"compiler", std::string(build.compiler), "compiler", build.compiler},
          {"build",
           flags,
           "build",
           {{"type", build.build_type}, {"flags", build.flags}, {"sanitizers", or_null(build.sanitizers)}}},
          {"CPU",
           fmt::format("{}, {} cores; points are summed with {} instructions", cpu_model(), core_count(),
                       point_kernels().instructions),
           "cpu",
           {{"model", cpu_model()}, {"cores", core_count()}, {"instructions", point_kernels().instructions}}},
          {"system", operating_system(), "system", operating_system()},
          {"CUDA toolkit",
           build.cuda_toolkit.empty() ? fmt::format("left out of this build: {}", build.cuda_left_out)
                                      : fmt::format("{} at build time", build.cuda_toolkit),
           "cuda_toolkit", part_json(build.cuda_toolkit, build.cuda_left_out)}};
}

/// Names the solvers of implementations where they depend on the machine.
void find_solvers(Findings& findings) {
  const auto found = solvers();
  for (const auto& [name, solver] : found)
    findings.push_back({"solver", fmt::format("{}: {}", name, solver), "", {}});
  if (!found.empty()) findings.back().key = "solvers", findings.back().value = found;
}

void find_libraries(Findings& findings) {
  const BuildInfo& build = build_info();
  findings.push_back({"PCL", pcl(build), "pcl", part_json(build.pcl_version, build.pcl_left_out)});
  findings.push_back(
      {"Eigen", fmt::format("{} at build time", build.eigen_version), "eigen", build.eigen_version});
  findings.push_back(
      {"liblzf",
       build.lzf ? "built in: binary_compressed PCD files can be read"
                 : "missing at build time (Debian: liblzf-dev): binary_compressed PCD files are refused",
       "liblzf", build.lzf});
  findings.push_back({"yaml-cpp",
                      map_metadata_readable()
                          ? "built in: metadata of maps in tiles and Autoware's parameters can be read"
                          : "missing at build time (Debian: libyaml-cpp-dev): metadata of maps in tiles and "
                            "Autoware's parameters are refused",
                      "yaml_cpp", map_metadata_readable()});
}

ExitCode doctor(const DoctorCommand& a) {
  Findings findings = build_findings();
  find_gpus(findings);
  find_solvers(findings);
  find_libraries(findings);
  findings.push_back(python());
  findings.push_back(project_files());
  findings.push_back(variable("NDT_DATASETS"));
  const std::string_view taken = choose_implementation(kAuto).name;
  findings.push_back({"auto", fmt::format("takes {}", taken), "auto", taken});
  json all;
  for (const Finding& finding : findings) {
    if (!a.json) fmt::print("{:<16} {}\n", finding.what, printable_name(finding.found));
    if (!finding.key.empty()) all[finding.key] = finding.value;
  }
  if (a.json) print_json(all);
  return ExitCode::ok;
}

}  // namespace

void add_doctor(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<DoctorCommand>();
  CLI::App& command = add_command(app, chosen, "doctor",
                                  "Compiler, CUDA, driver, GPU, PCL, Python: where each was found, or what "
                                  "is missing; the choice of auto",
                                  a, doctor);
  command.add_flag("--json", a->json, "one JSON object on stdout; null is missing or unknown");
}

}  // namespace ndt::harness
