#include "base/project_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "ndt/core/error.hpp"

namespace ndt::harness {

namespace fs = std::filesystem;

namespace {

/// Returns an empty text where the variable is not set.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ProjectPlaces project_places(const fs::path& program, const char* named) {
  fs::path bin = program.parent_path();
  if (bin.filename() == "tests") bin = bin.parent_path();
  const fs::path prefix = bin.parent_path();
  return {prefix.parent_path().parent_path(), prefix / "share" / "ndt", named == nullptr ? "" : named};
}

fs::path project_folder(std::string_view below, const ProjectPlaces& places) {
  for (const fs::path& place : {places.around_build, places.installed, places.named}) {
    std::error_code missing;
    if (!place.empty() && fs::is_directory(place / below, missing)) return place / below;
  }
  const std::string last = places.named.empty() ? "NDT_SHARE, which is not set"
                                                : fmt::format("{} (NDT_SHARE)", places.named.string());
  throw InputError(
      fmt::format("{} was not found: tried {} (around the build), {} (installed) and {}; set NDT_SHARE to a "
                  "folder of the project",
                  below, places.around_build.string(), places.installed.string(), last));
}

fs::path project_folder(std::string_view below) {
  std::error_code unknown;
  return project_folder(
      below, project_places(fs::read_symlink("/proc/self/exe", unknown), std::getenv("NDT_SHARE")));
}

fs::path cache_folder() {
  if (const std::string given = variable("NDT_CACHE"); !given.empty()) return given;
  if (const std::string base = variable("XDG_CACHE_HOME"); !base.empty()) return fs::path(base) / "ndt-bench";
  if (const std::string home = variable("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "ndt-bench";
  throw InputError("none of NDT_CACHE, XDG_CACHE_HOME and HOME is set; set NDT_CACHE to a folder");
}

}  // namespace ndt::harness
