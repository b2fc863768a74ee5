#include "cli/map_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "ndt/core/error.hpp"
#include "ndt/voxel/voxel_map.hpp"

namespace ndt::harness {
namespace {

void take_extent(const PointCloud& cloud, MapDescription& d) {
  bool first = true;
  for (const Point& point : cloud.points) {
    const Vec3<double> p = cloud.origin + cast<double>(point);
    if (!(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z))) {
      ++d.non_finite_points;
      continue;
    }
    if (first) d.low = d.high = p;
    first = false;
    d.low = {std::min(d.low.x, p.x), std::min(d.low.y, p.y), std::min(d.low.z, p.z)};
    d.high = {std::max(d.high.x, p.x), std::max(d.high.y, p.y), std::max(d.high.z, p.z)};
  }
}

std::uint64_t bytes_of(const VoxelMapView& map) {
  std::uint64_t listed = map.window.starts[map.window.cells()], bytes = 0;
  if (map.outside) {
    for (std::uint64_t i = 0; i <= map.outside_mask; ++i)
      if (const CellEntry& cell = map.outside[i]; cell.key != CellEntry::kNoKey) listed += cell.count;
    bytes += (map.outside_mask + 1) * sizeof(CellEntry);
  }
  return bytes + static_cast<std::uint64_t>(map.voxel_count) * sizeof(Voxel) +
         (listed + kNearVoxelPadding) * sizeof(NearVoxel) + (map.window.cells() + 1) * sizeof(std::uint32_t);
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

/// Of the points in memory.
std::uint64_t point_bytes(const MapDescription& d) {
  return static_cast<std::uint64_t>(d.points) * sizeof(Point);
}

}  // namespace

MapDescription describe_map(const MapFiles& files, double resolution_m) {
  MapDescription d;
  const Stopwatch read;
  const LoadedMap map = files.load();
  d.read_us = read.elapsed_us();
  d.tiles = map.tiles;
  d.tile_width_m = files.tile_width_m(), d.tile_height_m = files.tile_height_m();
  d.points = static_cast<std::int64_t>(map.cloud.size());
  d.resolution_m = resolution_m;
  take_extent(map.cloud, d);
  const Stopwatch build;
  try {
    AlignOptions options;
    options.resolution_m = resolution_m;
    const VoxelMap voxels(map.cloud, options);
    d.voxel_map = VoxelFacts{voxels.info().voxels, bytes_of(voxels.view())};
  } catch (const InputError& error) {
    d.no_voxel_map = error.what();
  }
  d.build_us = build.elapsed_us();
  return d;
}

std::string to_text(const MapDescription& d) {
  std::string text = fmt::format("points           {}, of them {} not finite; {:.1f} MB in memory\n",
                                 d.points, d.non_finite_points, megabytes(point_bytes(d)));
  if (d.tiles > 0)
    text += fmt::format("tiles            {}{}\n", d.tiles,
                        d.tile_width_m > 0 ? fmt::format(" of {} by {} m", d.tile_width_m, d.tile_height_m)
                                           : ", without metadata");
  text += fmt::format("extent           x {:.3f} to {:.3f}  y {:.3f} to {:.3f}  z {:.3f} to {:.3f} m\n",
                      d.low.x, d.high.x, d.low.y, d.high.y, d.low.z, d.high.z);
  if (d.voxel_map)
    text += fmt::format("voxels           {} of {} m; {:.1f} MB that alignments read\n", d.voxel_map->voxels,
                        d.resolution_m, megabytes(d.voxel_map->bytes));
  else
    text += fmt::format("voxels           none of {} m: {}\n", d.resolution_m, d.no_voxel_map);
  return text + fmt::format("read             {:.3f} ms\nbuild            {:.3f} ms\n", d.read_us / 1000,
                            d.build_us / 1000);
}

nlohmann::ordered_json to_json(const MapDescription& d) {
  nlohmann::ordered_json json = {{"points", d.points},
                                 {"non_finite_points", d.non_finite_points},
                                 {"point_bytes", point_bytes(d)},
                                 {"tiles", d.tiles}};
  json["tile_size_m"] = nullptr;
  if (d.tile_width_m > 0) json["tile_size_m"] = {d.tile_width_m, d.tile_height_m};
  json["low_m"] = {d.low.x, d.low.y, d.low.z};
  json["high_m"] = {d.high.x, d.high.y, d.high.z};
  json["resolution_m"] = d.resolution_m;
  json["voxels"] = d.voxel_map ? d.voxel_map->voxels : 0;
  json["voxel_map_bytes"] = d.voxel_map ? d.voxel_map->bytes : 0;
  json["no_voxel_map"] = nullptr;
  if (!d.voxel_map) json["no_voxel_map"] = d.no_voxel_map;
  json["read_us"] = d.read_us;
  json["build_us"] = d.build_us;
  return json;
}

}  // namespace ndt::harness
