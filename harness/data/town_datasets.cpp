#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/project_folder.hpp"
#include "data/dataset_name.hpp"
#include "data/preparation.hpp"
#include "data/sources.hpp"
#include "ndt/core/error.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

struct Town {
  const char* name;
  TownOptions options;
  const char* description;
  int generation = 4;  ///< increase when the generator makes other bytes of it: cached ones are made anew
};
constexpr Town kTowns[] = {
    {"town_small",
     {.scale = TownScale::small},
     "synthetic: a street corner, 8 scans of 16 beams; made in about a second"},
    {"town",
     {.scale = TownScale::standard},
     "synthetic: a drive through streets, 64 beams, more than 300 m with two turns; made on first use, "
     "within a "
     "minute"},
    {"town_drive",
     {.scale = TownScale::drive},
     "synthetic: the same streets at 10 scans a second, on a car that keeps to 10 m/s and 20 degrees a "
     "second; "
     "made on first use, within minutes",
     5},
    {"town_drive_traffic",
     {.scale = TownScale::drive, .traffic = true},
     "synthetic: town_drive among moving vehicles, which the map does not have; made on first use",
     5},
    {"town_drive_distorted",
     {.scale = TownScale::drive, .distortion = true},
     "synthetic: town_drive with sweeps of 0.1 s while the car moves, and times of points; made on first use",
     6},
    {"tunnel_drive",
     {.scale = TownScale::tunnel},
     "synthetic: 300 m of plain tunnel between two stretches of street, 10 scans a second; made on first "
     "use",
     5},
    {"field_drive",
     {.scale = TownScale::field},
     "synthetic: 250 m over an open field with few things, 10 scans a second; made on first use",
     5},
    {"junction_drive",
     {.scale = TownScale::junction},
     "synthetic: a left turn at a crossing among moving vehicles, 10 scans a second; made on first use",
     5},
    {"kidnap_drive",
     {.scale = TownScale::kidnap},
     "synthetic: begins metres from its guess, and is carried 47 m around a corner between two scans; 16 "
     "beams, "
     "made in seconds",
     5},
    {"town_long",
     {.scale = TownScale::long_drive},
     "synthetic: 4.8 km at 10 scans a second, 32 beams, a map of more than 10 M points, about 1 GB; made on "
     "first use, takes minutes",
     6},
    {"town_large",
     {.scale = TownScale::large},
     "synthetic: more than 2 km, a map of more than 10 M points; made on first use, takes minutes (scans of "
     "any size on part of it: town_points_<points>)"},
    {"park",
     {.scale = TownScale::park},
     "synthetic: 6 scans of 48 beams among trees and bushes on hills and rough ground; made on first use, in "
     "seconds",
     1},
    {"oldtown",
     {.scale = TownScale::oldtown},
     "synthetic: 6 scans of 48 beams between crooked fronts with sills and round towers; made on first use, "
     "in seconds",
     1},
    {"works",
     {.scale = TownScale::works},
     "synthetic: 6 scans of 48 beams between tanks, spheres and pipes; made on first use, in seconds",
     1},
    {"woods",
     {.scale = TownScale::woods},
     "synthetic: 6 scans of 48 beams among 160 trunks and crowns on rough ground; made on first use, in "
     "seconds",
     1},
};

/// Takes a key and the number after it off the end of a name, if they are there.
std::optional<std::uint64_t> take_number(std::string_view& name, std::string_view key) {
  const std::size_t at = name.rfind(key);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = seed_after(name.substr(at), key);
  if (number) name = name.substr(0, at);
  return number;
}

/// Returns the town of a name, with another seed for town_seed7 and fewer beams for town_beams16. A town has
/// one name.
std::optional<Town> town_of(std::string_view name) {
  const auto seed = take_number(name, "_seed"), beams = take_number(name, "_beams");
  if (beams && (*beams == 0 || *beams > 1000)) return std::nullopt;
  for (Town town : kTowns) {
    if (name != town.name || seed == town.options.seed) continue;
    town.options.seed = seed.value_or(town.options.seed);
    town.options.beams = static_cast<int>(beams.value_or(0));
    return town;
  }
  return std::nullopt;
}

constexpr double kHalfMapM = 200;  // 1.6 M points in more than 20,000 voxels of 2 m
constexpr double kStopsM = 100;    // the scanner reaches as far again
constexpr int kPointsMost = 500000;
constexpr const char* kTownPoints = "town_points_";

struct Sweep {
  fs::path file;
  Transform map_from_sensor;
};

std::vector<Sweep> sweeps_of(const Dataset& town, const fs::path& folder) {
  std::vector<Sweep> sweeps;
  for (const Frame& frame : town.frames)
    sweeps.push_back({folder / "scans" / (frame.name + ".pcd"), *frame.truth});
  return sweeps;
}

/// Joins sweep `at` with as many of its nearest neighbours as `count` points need, in its sensor's frame.
PointCloud scan_of(const std::vector<Sweep>& sweeps, std::size_t at, std::size_t count) {
  PointCloud scan = read_cloud(sweeps[at].file);
  for (std::size_t away = 1; scan.size() < count && away < sweeps.size(); ++away)
    for (const std::size_t next : {at + away, at - away}) {  // at - away wraps below 0, past every index
      if (next >= sweeps.size() || scan.size() >= count) continue;
      const Transform move = inverse(sweeps[at].map_from_sensor) * sweeps[next].map_from_sensor;
      for (const Point& p : read_cloud(sweeps[next].file).points) {
        const Vec3<double> q = rotation_of(move) * Vec3<double>{p.x, p.y, p.z} + translation_of(move);
        scan.points.push_back({static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z)});
      }
    }
  std::erase_if(scan.points, [](const Point& p) { return !is_finite(p); });
  scan.points = random_sample(scan.points, static_cast<std::int64_t>(count), 1);
  return scan;
}

}  // namespace

TownSummary generate_town(const TownOptions& options, const fs::path& folder, const ReportProgress& report) {
  std::size_t shown = 0;
  return write_town(options, folder, [&](double fraction) {
    const auto percent = static_cast<std::size_t>(100 * fraction);
    if (percent != shown && report)
      report({.done = percent, .total = 100, .now = "driving through the town"});
    shown = percent;
  });
}

std::vector<DatasetInfo> list_towns() {
  std::vector<DatasetInfo> infos;
  for (const Town& town : kTowns) infos.push_back({town.name, town.description, ""});
  return infos;
}

std::optional<fs::path> town_folder(std::string_view name, const ReportProgress& report) {
  const std::optional<Town> town = town_of(name);
  if (!town) return std::nullopt;
  const fs::path folder = cache_folder() / fmt::format("{}_v{}", name, town->generation);
  try {
    if (!fs::exists(folder / "dataset.toml")) generate_town(town->options, folder, report);
  } catch (const InputError&) {  // unless another process was quicker
    if (!fs::exists(folder / "dataset.toml")) throw;
  }
  return folder;
}

std::optional<Dataset> load_town(std::string_view name, const ReportProgress& report) {
  const std::optional<fs::path> folder = town_folder(name, report);
  if (!folder) return std::nullopt;
  return read_dataset(*folder / "dataset.toml", *folder);
}

Dataset town_points(Dataset dataset, const fs::path& folder, int points) {
  const std::vector<Sweep> sweeps = sweeps_of(dataset, folder);
  const Vec3<double> centre = translation_of(sweeps.at(0).map_from_sensor);
  const auto leaves = std::ranges::find_if(dataset.frames, [&](const Frame& frame) {
    const Vec3<double> at = translation_of(*frame.truth) - centre;
    return std::max(std::abs(at.x), std::abs(at.y)) > kStopsM;
  });
  dataset.frames.erase(leaves, dataset.frames.end());
  constexpr double kAnyHeight = 1e6;
  ScanPreparation square;
  square.crop_box = CropBox{{centre.x - kHalfMapM, centre.y - kHalfMapM, -kAnyHeight},
                            {centre.x + kHalfMapM, centre.y + kHalfMapM, kAnyHeight}};
  dataset.name = fmt::format("{}{}", kTownPoints, points);
  dataset.description =
      fmt::format("synthetic: the first 100 m of town_large with scans of {} points", points);
  dataset.preparation = fmt::format("scan: {} drawn from sweeps of 64 beams; map: 400 m square", points);
  dataset.map = [whole = dataset.map, square](std::size_t frame) {
    return prepare(whole(frame), square).cloud;
  };
  dataset.raw_scan = nullptr;
  dataset.scan = [sweeps, count = static_cast<std::size_t>(points)](std::size_t frame) {
    return scan_of(sweeps, frame, count);
  };
  return dataset;
}

std::optional<Dataset> load_town_points(std::string_view name, const ReportProgress& report) {
  const auto points = number_after(name, kTownPoints);
  if (!points) return std::nullopt;
  require_between(name, *points, 100, kPointsMost);
  return town_points(load_town("town_large", report).value(), town_folder("town_large").value(), *points);
}

}  // namespace ndt::harness
