#include "ndt/io/tile_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/errors.hpp"

namespace ndt::io {
namespace {

const char* type_name(const StoredPoints& points) {
  return std::holds_alternative<std::vector<Vec3<float>>>(points) ? "float32" : "float64";
}

/// The error that a coordinate stored as T may have.
template <class T>
double spacing(double coordinate) {
  return std::abs(coordinate) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <class T>
bool inside(const Vec3<T>& point, const MapArea& area) {
  const Vec3<double> p = cast<double>(point);
  const double slack_x = area.reach_m + spacing<T>(p.x), slack_y = area.reach_m + spacing<T>(p.y);
  return p.x >= area.low_x - slack_x && p.x <= area.high_x + slack_x && p.y >= area.low_y - slack_y &&
         p.y <= area.high_y + slack_y;
}

template <class T>
bool finite(const Vec3<T>& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

}  // namespace

void require_inside(const StoredPoints& stored, const MapArea& area, const std::filesystem::path& file) {
  std::visit(
      [&](const auto& points) {
        const auto is_out = [&](const auto& p) { return finite(p) && !inside(p, area); };
        const auto first = std::ranges::find_if(points, is_out);
        if (first == points.end()) return;
        throw refusal(
            printable_name(file.native()), "",
            formatted("{} of {} points are outside its tile, x {} to {} m and y {} to {} m; the first is "
                      "({}, {}, {})",
                      std::ranges::count_if(first, points.end(), is_out), points.size(), area.low_x,
                      area.high_x, area.low_y, area.high_y, first->x, first->y, first->z),
            "if the tiles have other axes or units than the metadata, correct it; or move it away and cut "
            "the folder anew with ndt-bench map cut");
      },
      stored);
}

void TilePoints::add(StoredPoints more, const std::filesystem::path& file) {
  if (!points_) {
    points_ = std::move(more), first_ = file;
    return;
  }
  if (points_->index() != more.index())
    throw refusal(printable_name(file.native()), "",
                  formatted("its coordinates are {}, those of {} {}", type_name(more),
                            printable_name(first_.filename().native()), type_name(*points_)),
                  "export all tiles with the same fields");
  std::visit(
      [&](auto& points) {
        const auto& added = std::get<std::remove_reference_t<decltype(points)>>(more);
        if (points.size() + added.size() > Limits::kPoints)
          throw refusal(map_, "", formatted("the tiles have more than {} points", Limits::kPoints),
                        "take in less of the map, or thin its tiles");
        points.insert(points.end(), added.begin(), added.end());
      },
      *points_);
}

PointCloud TilePoints::take() { return cloud_of_stored(std::move(*points_), map_); }

}  // namespace ndt::io
