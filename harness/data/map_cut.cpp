#include "data/map_cut.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/map_metadata.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {
namespace {

/// Whole numbers of any size in doubles, so that no coordinate is too far away: x, then y.
using Square = std::pair<double, double>;

/// The i with i·size <= coordinate < (i+1)·size, as these products round: a quotient may round up to the next
/// square.
double square_of(double coordinate, double size_m) {
  double i = std::floor(coordinate / size_m);
  if (coordinate < i * size_m) --i;
  if (coordinate >= (i + 1) * size_m) ++i;
  return i;
}

std::map<Square, std::vector<Point>> squares_of(const PointCloud& cloud, double size_m,
                                                std::int64_t& dropped) {
  std::map<Square, std::vector<Point>> squares;
  for (const Point& point : cloud.points) {
    const Vec3<double> p = cloud.origin + cast<double>(point);
    if (!(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z))) {
      ++dropped;
      continue;
    }
    if (std::abs(p.x) > Limits::kOriginM || std::abs(p.y) > Limits::kOriginM)
      throw InputError(
          fmt::format("a point at ({}, {}, {}) m is farther away than {} m; remove outliers, or "
                      "export the cloud in metres",
                      p.x, p.y, p.z, Limits::kOriginM));
    squares[{square_of(p.x, size_m), square_of(p.y, size_m)}].push_back(point);
    if (squares.size() > kTilesMost)
      throw InputError(fmt::format(
          "tiles of {} m would be more than {}; give larger ones, or remove outliers", size_m, kTilesMost));
  }
  if (squares.empty()) throw InputError("the cloud has no finite point to cut; give another");
  return squares;
}

}  // namespace

CutSummary cut_map(const PointCloud& cloud, double size_m, const std::filesystem::path& folder,
                   const ReportProgress& report) {
  require_closed("size", size_m, 0.1, 1e6);
  CutSummary summary;
  const auto squares = squares_of(cloud, size_m, summary.dropped_points);
  FolderInMaking making(folder);
  MapMetadata metadata{size_m, size_m, {}};
  for (const auto& [square, points] : squares) {
    const double x = square.first * size_m + 0.0, y = square.second * size_m + 0.0;  // 0, not -0
    TileEntry tile{fmt::format("tile_{}_{}.pcd", x, y), x, y, 0};
    write_pcd(making.path() / tile.file, {cloud.origin, points});
    metadata.tiles.push_back(std::move(tile));
    if (report) report({metadata.tiles.size(), squares.size(), "tiles"});
    summary.points += static_cast<std::int64_t>(points.size());
  }
  write_text(making.path() / kMetadataName, map_metadata_text(metadata));
  making.finish();
  summary.tiles = squares.size();
  return summary;
}

}  // namespace ndt::harness
