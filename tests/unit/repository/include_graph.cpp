#include "include_graph.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <regex>
#include <sstream>

namespace ndt::repository {
namespace {

using Names = std::vector<std::string>;

/// core ← exec ← {voxel ← score ← solve ← edge}, core ← align; options and results may be used above align.
/// Headers (.hpp) of cuda/ compile without CUDA.
const std::map<std::string, Names> kLayersOfCommon = {
    {"core", {"core"}},
    {"align", {"core", "align"}},
    {"exec", {"core", "exec"}},
    {"cuda", {"core", "align", "cuda"}},
    {"voxel", {"core", "exec", "align", "voxel"}},
    {"score", {"core", "exec", "align", "voxel", "score"}},
    {"solve", {"core", "exec", "align", "voxel", "score", "solve"}},
    {"edge", {"core", "exec", "align", "voxel", "score", "solve", "edge"}}};

/// base ← io ← town ← data ← registry ← run ← cli; peers between io and registry, localize beside run,
/// microbench beside cli. The wings of the harness are its folders.
const std::map<std::string, Names> kLayersOfHarness = {
    {"base", {"base"}},
    {"io", {"base", "io"}},
    {"town", {"base", "io", "town"}},
    {"data", {"base", "io", "town", "data"}},
    {"peers", {"base", "io", "peers"}},
    {"registry", {"base", "io", "town", "data", "peers", "registry"}},
    {"run", {"base", "io", "town", "data", "peers", "registry", "run"}},
    {"localize", {"base", "io", "town", "data", "peers", "registry", "localize"}},
    {"cli", {"base", "io", "town", "data", "peers", "registry", "run", "localize", "cli"}},
    {"microbench", {"base", "io", "town", "data", "peers", "registry", "run", "microbench"}}};

/// The oracle shares no NDT maths with what it judges.
const Names kLayersForTheOracle = {"core", "align"};

/// Written by the build, so not among the files.
const Names kGenerated = {"build_constants.hpp", "commit.hpp"};

const std::regex kHostOnly("^(unsupported/)?(Eigen|fmt|toml\\+\\+|toml|nlohmann|yaml-cpp)(/|\\.h)");
const std::regex kPointCloudLibrary("^pcl/");
const std::regex kCuda("^(cuda|cooperative_groups|cub/|thrust/|cusolver|cublas|device_launch|nvml|nvtx)");

bool matches(const std::string& path, const std::regex& start) { return std::regex_search(path, start); }

bool contains(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_device(const std::string& file) { return file.ends_with(".cu") || file.ends_with(".cuh"); }

/// Tests of the device may ask it about itself, whoever compiles them.
bool may_use_device(const std::string& file) { return is_device(file) || file.starts_with("tests/gpu/"); }

/// The part of a path between two slashes, counted from 0.
std::string part(const std::string& path, int index) {
  std::istringstream stream(path);
  std::string out;
  for (int i = 0; i <= index; ++i)
    if (!std::getline(stream, out, '/')) return "";
  return out;
}

std::string without_block_comments(std::string_view source) {
  std::string out(source);
  for (auto begin = out.find("/*"); begin != std::string::npos; begin = out.find("/*", begin)) {
    auto end = out.find("*/", begin);
    end = end == std::string::npos ? out.size() : end + 2;
    std::replace_if(
        out.begin() + static_cast<std::ptrdiff_t>(begin), out.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
  }
  return out;
}

}  // namespace

std::vector<Include> includes_of(std::string_view source) {
  static const std::regex directive("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]");
  std::istringstream lines(without_block_comments(source));
  std::vector<Include> out;
  std::string line;
  std::smatch match;
  for (int number = 1; std::getline(lines, line); ++number)
    if (std::regex_search(line, match, directive)) out.push_back({number, match[2], match[1] == "\""});
  return out;
}

/// The place of a file in the tree.
struct IncludeGraph::Place {
  std::string file, module, layer;  ///< layer: folder of common or wing of the harness, empty elsewhere
  bool is_public = false;
};

IncludeGraph::IncludeGraph(const Files& files) {
  for (const auto& [path, text] : files) {
    const std::string module = part(path, 0) == "modules" ? part(path, 1) : "";
    if (path == "modules/" + module + "/CMakeLists.txt") modules_.insert(module);
    if (is_device(path) && !module.empty() && module != "common") with_kernels_.insert(module);
    if (!path.ends_with(".txt")) includes_[path] = includes_of(text);
  }
}

/// tests → harness → modules → common; siblings never include each other, but localization searches with
/// initial_pose, align gathers the implementations, and io is the harness's readers for users of the library.
/// bench: programs in a module's
/// bench/, which measure kernels without the harness; examples: what a user of the modules writes. Nothing
/// for a module that is not there.
std::optional<IncludeGraph::NameSet> IncludeGraph::allowed_to(const std::string& module) const {
  NameSet all = modules_;
  if (module == "common") return NameSet{};
  if (module == "bench" || module == "examples" || module == "harness") return all;
  if (module == "align") return all;
  if (module == "io") return NameSet{"common", "harness"};
  if (module == "pcl_registration") return NameSet{"common", "align"};
  all.insert("harness");
  if (module == "tests") return all;
  if (module == "localization") return NameSet{"common", "initial_pose"};
  return modules_.contains(module) ? std::optional<NameSet>({"common"}) : std::nullopt;
}

/// Returns the modules whose private headers a file below tests/ may include: of a unit test its unit, of a
/// device test the modules with kernels.
IncludeGraph::NameSet IncludeGraph::modules_under_test(const std::string& file) const {
  if (file.starts_with("tests/unit/")) return {part(file, 2)};
  if (file.starts_with("tests/gpu/")) return with_kernels_;
  return {};
}

std::size_t IncludeGraph::include_count() const {
  std::size_t count = 0;
  for (const auto& [file, includes] : includes_) count += includes.size();
  return count;
}

IncludeGraph::Place IncludeGraph::place_of(const std::string& file) const {
  Place place{file, part(file, 0), "", false};
  if (place.module == "modules") place.module = part(file, 2) == "bench" ? "bench" : part(file, 1);
  place.is_public = place.module == "harness" || file.starts_with("modules/" + place.module + "/include/");
  if (place.module == "common") place.layer = place.is_public ? part(file, 4) : layer_of_source(file);
  if (place.module == "harness") place.layer = part(file, 1);
  return place;
}

/// A source of common belongs to the layer of the header it implements.
std::string IncludeGraph::layer_of_source(const std::string& file) const {
  const std::string stem = std::filesystem::path(file).stem().string();
  for (const auto& [layer, allowed] : kLayersOfCommon) {
    const std::string header = "modules/common/include/ndt/" + layer + "/" + stem;
    if (part(file, 3) == layer || exists(header + ".hpp") || exists(header + ".cuh")) return layer;
  }
  return "";
}

/// Path of the included file in the repository, or empty.
std::string IncludeGraph::resolve(const std::string& file, const Include& include) const {
  Names folders;
  if (include.path.starts_with("ndt/")) {
    for (const std::string& module : modules_) folders.push_back("modules/" + module + "/include");
  } else if (include.quoted) {
    folders.push_back(std::filesystem::path(file).parent_path().generic_string());
    const std::string root = part(file, 0);
    if (root == "modules") folders.push_back("modules/" + part(file, 1) + "/src");
    folders.push_back("harness");
    if (root == "tests") folders.push_back("tests/support");
    for (const std::string& module : modules_under_test(file)) {
      folders.push_back("modules/" + module + "/src");
      folders.push_back("tests/unit/" + module);  // a device test runs the same cases as the unit test there
    }
  }
  for (const std::string& folder : folders) {
    const std::string path =
        (std::filesystem::path(folder) / include.path).lexically_normal().generic_string();
    if (exists(path)) return path;
  }
  return "";
}

std::string IncludeGraph::objection_to_own(const Place& from, const std::string& target) const {
  const Place to = place_of(target);
  if (to.module != from.module && !allowed_to(from.module)->contains(to.module))
    return from.module + " may not know " + to.module;
  const bool under_test = modules_under_test(from.file).contains(to.module);
  if (to.module != from.module && !to.is_public && !under_test) return "it is private to " + to.module;
  if (is_device(target) && !may_use_device(from.file)) return "device code is for .cu and .cuh files";
  if (from.module == "harness" && to.module == "harness" &&
      !contains(kLayersOfHarness.at(from.layer), to.layer))
    return from.layer + "/ may not know " + to.layer + "/";
  if (to.module != "common" || from.module == "tests") return "";
  if (to.layer == "cuda" && (may_use_device(from.file) || from.layer == "cuda")) return "";
  if (from.module == "cpu_pclomp_ref" && !contains(kLayersForTheOracle, to.layer))
    return "the oracle may know only core/ and align/";
  if (from.module == "common" && !contains(kLayersOfCommon.at(from.layer), to.layer))
    return from.layer + "/ may not know " + to.layer + "/";
  return "";
}

std::string IncludeGraph::objection(const std::string& file, const Include& include) const {
  const Place from = place_of(file);
  if (!allowed_to(from.module)) return "the layering says nothing about " + from.module;
  if (from.module == "common" && !kLayersOfCommon.contains(from.layer))
    return from.layer.empty() ? "no header of common has the name of this source"
                              : "common has no layer " + from.layer;
  if (from.module == "harness" && !kLayersOfHarness.contains(from.layer))
    return "harness has no wing " + from.layer;
  const std::string target = resolve(file, include);
  if (!target.empty()) return objection_to_own(from, target);
  if (include.path.starts_with("ndt/")) return "there is no such public header";
  if (include.quoted && !contains(kGenerated, include.path)) return "there is no such header here";

  const bool public_header = from.is_public && file.starts_with("modules/");
  if (from.module == "pcl_registration") return "";  // an adapter to it, which the others need not have
  if (public_header && matches(include.path, kHostOnly)) return "public headers stay free of it";
  if (public_header && matches(include.path, kPointCloudLibrary)) return "public headers stay free of it";
  const bool users_program = file.starts_with("examples/");  // which may call CUDA's runtime itself
  if (matches(include.path, kCuda) && !may_use_device(file) && !users_program)
    return "CUDA stays in .cuh and .cu";
  return "";
}

/// Host-only libraries must not reach nvcc, not even through a header of ours.
void IncludeGraph::follow_device_code(const std::string& file, const std::string& chain, Names& visited,
                                      Names& out) const {
  if (contains(visited, file)) return;
  visited.push_back(file);
  for (const Include& include : includes_.at(file)) {
    if (matches(include.path, kHostOnly))
      out.push_back(file + ":" + std::to_string(include.line) + ": includes " + include.path +
                    ": nvcc would read it through " + chain);
    const std::string target = resolve(file, include);
    if (!target.empty()) follow_device_code(target, chain + " -> " + target, visited, out);
  }
}

std::vector<std::string> IncludeGraph::violations() const {
  Names out;
  for (const auto& [file, includes] : includes_) {
    for (const Include& include : includes) {
      const std::string why = objection(file, include);
      if (!why.empty())
        out.push_back(file + ":" + std::to_string(include.line) + ": includes " + include.path + ": " + why);
    }
    Names visited;
    if (is_device(file)) follow_device_code(file, file, visited, out);
  }
  return out;
}

/// A source is one unit with the header of its name that it includes, a header with its _inl; every other
/// file is a unit of its own.
std::string IncludeGraph::unit_of(const std::string& file) const {
  const std::filesystem::path path(file);
  if (path.stem().string().ends_with("_inl")) return file.substr(0, file.rfind("_inl"));
  for (const Include& include : includes_.at(file)) {
    const std::filesystem::path target = resolve(file, include);
    const bool is_header = target.extension() == ".hpp" || target.extension() == ".cuh";
    if (is_header && target.stem() == path.stem()) return target.parent_path() / target.stem();
  }
  return path.parent_path() / path.stem();
}

std::vector<std::string> IncludeGraph::cycles() const {
  std::map<std::string, NameSet> arrows;
  for (const auto& [file, includes] : includes_) {
    const std::string from = unit_of(file);
    for (const Include& include : includes) {
      const std::string target = resolve(file, include);
      if (!target.empty() && unit_of(target) != from) arrows[from].insert(unit_of(target));
    }
  }

  Names out, path;
  NameSet finished;
  const std::function<void(const std::string&)> follow = [&](const std::string& unit) {
    if (finished.contains(unit)) return;
    if (const auto first = std::ranges::find(path, unit); first != path.end()) {
      std::string cycle;
      for (auto step = first; step != path.end(); ++step) cycle += *step + " -> ";
      out.push_back(cycle + unit);
      return;
    }
    path.push_back(unit);
    for (const std::string& next : arrows[unit]) follow(next);
    path.pop_back();
    finished.insert(unit);
  };
  for (const auto& [unit, targets] : std::map(arrows)) follow(unit);
  return out;
}

}  // namespace ndt::repository
