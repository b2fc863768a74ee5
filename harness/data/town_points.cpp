#include "data/town_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/numbered_name.hpp"
#include "data/scan_preparation.hpp"
#include "data/town_cache.hpp"
#include "io/cloud_file.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

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
  for (const Frame& frame : town.frames) sweeps.push_back({folder / "scans" / (frame.name + ".pcd"), *frame.truth});
  return sweeps;
}

/// Of sweep `at` and of as many of its nearest neighbours as it takes to have `count` points, in its sensor's frame.
PointCloud scan_of(const std::vector<Sweep>& sweeps, std::size_t at, std::size_t count) {
  PointCloud scan = read_cloud(sweeps[at].file);
  for (std::size_t away = 1; scan.size() < count && away < sweeps.size(); ++away)
    for (const std::size_t next : {at + away, at - away}) {  // below 0 it wraps to what no index is
      if (next >= sweeps.size() || scan.size() >= count) continue;
      const Transform move = inverse(sweeps[at].map_from_sensor) * sweeps[next].map_from_sensor;
      for (const Point& p : read_cloud(sweeps[next].file).points) {
        const Vec3<double> q = rotation_of(move) * Vec3<double>{p.x, p.y, p.z} + translation_of(move);
        scan.points.push_back({static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z)});
      }
    }
  ScanPreparation draw;
  draw.sample_points = static_cast<std::int64_t>(count);
  return prepare(std::move(scan), draw).cloud;
}

}  // namespace

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
  dataset.description = fmt::format("synthetic: the first 100 m of town_large with scans of {} points", points);
  dataset.preparation = fmt::format("scan: {} drawn from sweeps of 64 beams; map: 400 m square", points);
  dataset.map = [whole = dataset.map, square](std::size_t frame) { return prepare(whole(frame), square).cloud; };
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
