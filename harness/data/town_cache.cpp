#include "data/town_cache.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "data/dataset_file.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

struct Town {
  const char* name;
  TownScale scale;
  const char* description;
};
constexpr Town kTowns[] = {
    {"town_small", TownScale::small, "synthetic: a street corner, 8 scans of 16 beams; made in about a second"},
    {"town", TownScale::standard,
     "synthetic: a drive through streets, 64 beams, more than 300 m with two turns; made on first use, within a "
     "minute"},
    {"town_large", TownScale::large,
     "synthetic: more than 2 km, a map of more than 10 M points; made on first use, takes minutes (scans of any size "
     "on part "
     "of it: town_points_<points>)"},
};

/// Another number once the generator makes other bytes: what was kept is not used any more.
constexpr int kGeneration = 1;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

TownSummary generate_town(const TownOptions& options, const fs::path& folder, const ReportProgress& report) {
  std::size_t shown = 0;
  return write_town(options, folder, [&](double fraction) {
    const auto percent = static_cast<std::size_t>(100 * fraction);
    if (percent != shown && report) report({.done = percent, .total = 100, .now = "driving through the town"});
    shown = percent;
  });
}

fs::path cache_folder() {
  if (const std::string given = environment("NDT_CACHE"); !given.empty()) return given;
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty()) return fs::path(base) / "ndt-bench";
  if (const std::string home = environment("HOME"); !home.empty()) return fs::path(home) / ".cache" / "ndt-bench";
  throw InputError("no folder for generated data: set NDT_CACHE");
}

std::vector<DatasetInfo> list_towns() {
  std::vector<DatasetInfo> infos;
  for (const Town& town : kTowns) infos.push_back({town.name, town.description, ""});
  return infos;
}

std::optional<fs::path> town_folder(std::string_view name, const ReportProgress& report) {
  for (const Town& town : kTowns) {
    if (town.name != name) continue;
    const fs::path folder = cache_folder() / fmt::format("{}_v{}", town.name, kGeneration);
    try {
      if (!fs::exists(folder / "dataset.toml")) generate_town({.scale = town.scale}, folder, report);
    } catch (const InputError&) {  // unless another process was quicker
      if (!fs::exists(folder / "dataset.toml")) throw;
    }
    return folder;
  }
  return std::nullopt;
}

std::optional<Dataset> load_town(std::string_view name, const ReportProgress& report) {
  const std::optional<fs::path> folder = town_folder(name, report);
  if (!folder) return std::nullopt;
  return read_dataset(*folder / "dataset.toml", *folder);
}

}  // namespace ndt::harness
