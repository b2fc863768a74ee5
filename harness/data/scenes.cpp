#include "data/scenes.hpp"

#include <fmt/format.h>

#include "base/exit_code.hpp"
#include "base/numbered_name.hpp"
#include "data/courtyard.hpp"

namespace ndt::harness {
namespace {

/// Guesses around the truth: metres and radians, at most 0.5 m and 5 degrees.
constexpr Pose kPerturbations[] = {
    {0.000, 0.000, 0.000, 0.000, 0.000, 0.000},      //
    {0.180, -0.110, 0.040, 0.010, -0.008, 0.030},    //
    {-0.260, 0.200, -0.060, -0.014, 0.012, -0.041},  //
    {0.050, 0.330, 0.090, 0.006, 0.019, 0.052},      //
    {-0.340, -0.150, 0.110, 0.021, -0.005, 0.017},   //
    {0.290, 0.290, -0.120, -0.009, -0.022, -0.066},  //
    {0.440, -0.080, 0.070, -0.018, 0.016, 0.008},    //
    {-0.120, -0.460, -0.100, 0.013, 0.009, -0.079},  //
};

constexpr int kScanPoints = 3000;
/// Courtyards in a row and column of a tiled map, and their distance: a multiple of every usual resolution.
constexpr int kTilesMost = 61;
constexpr std::int64_t kTilePitchM = 72;
constexpr int kTilePoints = 30000;

struct Scene {
  int scan_points = kScanPoints;
  int tiles = 1;
  bool far = false;
};

PointCloud tiled_map(int tiles) {
  PointCloud map;
  map.points.reserve(static_cast<std::size_t>(tiles) * static_cast<std::size_t>(tiles) * kTilePoints);
  for (int row = 0; row < tiles; ++row)
    for (int column = 0; column < tiles; ++column) {
      const PointCloud tile =
          make_courtyard({.seed = 1,
                          .points = kTilePoints,
                          .offset_m = {(column - tiles / 2) * kTilePitchM, (row - tiles / 2) * kTilePitchM, 0}});
      map.points.insert(map.points.end(), tile.points.begin(), tile.points.end());
    }
  return map;
}

Dataset make(std::string_view name, std::string description, const Scene& scene) {
  Dataset dataset;
  dataset.name = name;
  dataset.description = std::move(description);
  dataset.kind = "pair";
  dataset.licence = "Apache-2.0";
  dataset.source = "built in, an integer generator";
  dataset.truth = {.quality = "exact", .exact = true};
  const Vec3<double> at = scene.far ? Vec3<double>{81377, 49916, 40} : Vec3<double>{};
  Frame frame{.name = "0", .truth = to_transform(Pose{at.x, at.y, at.z}), .guesses = {}};
  for (const Pose& p : kPerturbations)
    frame.guesses.push_back({fmt::format("guess{}", frame.guesses.size()),
                             to_transform(Pose{p.x + at.x, p.y + at.y, p.z + at.z, p.roll, p.pitch, p.yaw})});
  dataset.frames.push_back(std::move(frame));
  dataset.map = [scene](std::size_t) {
    if (scene.far) return courtyard_map_far();
    return scene.tiles > 1 ? tiled_map(scene.tiles) : courtyard_map();
  };
  dataset.scan = [scene](std::size_t) { return courtyard_scan(scene.scan_points); };
  return dataset;
}

constexpr std::string_view kCourtyard =
    "built-in: walled courtyard, map 30,000 points, scan 3,000, 8 guesses within 0.5 m and 5 degrees";
constexpr std::string_view kOfSize = "built-in: the same with a scan of 5,000 points (any number: courtyard_<points>)";
constexpr std::string_view kTiled =
    "built-in: 9 x 9 courtyards, map 2,430,000 points (any odd number: courtyard_tiles_<n>)";
constexpr std::string_view kFar =
    "built-in: courtyard with its map 95 km away (81377, 49916, 40), as in a metric grid zone";

}  // namespace

std::vector<DatasetInfo> list_scenes() {
  return {{"courtyard", std::string(kCourtyard), ""},
          {"courtyard_5k", std::string(kOfSize), ""},
          {"courtyard_tiles_9", std::string(kTiled), ""},
          {"courtyard_far", std::string(kFar), ""}};
}

std::optional<Dataset> load_scene(std::string_view name) {
  if (name == "courtyard") return make(name, std::string(kCourtyard), {});
  if (name == "courtyard_far") return make(name, std::string(kFar), {.far = true});
  if (name == "courtyard_5k") return make(name, std::string(kOfSize), {.scan_points = 5000});
  if (const auto tiles = number_after(name, "courtyard_tiles_")) {
    require_between(name, *tiles, 1, kTilesMost);
    if (*tiles % 2 == 0) throw UsageError(fmt::format("dataset {}: the number of tiles must be odd", name));
    return make(name, fmt::format("built-in: {0} x {0} courtyards", *tiles), {.tiles = *tiles});
  }
  if (const auto points = number_after(name, "courtyard_")) {
    require_between(name, *points, 100, 2000000);
    return make(name, fmt::format("built-in: courtyard with a scan of {} points", *points), {.scan_points = *points});
  }
  return std::nullopt;
}

}  // namespace ndt::harness
