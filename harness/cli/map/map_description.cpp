#include "cli/map/map_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "data/surveyed_map.hpp"
#include "io/json_file.hpp"
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

/// Number of bytes that alignments read.
std::uint64_t bytes_of(const VoxelMap& map) {
  const LevelSize size = map.size();
  return static_cast<std::uint64_t>(map.info().voxels) * sizeof(Voxel) +
         (size.listed + kNearVoxelPadding) * sizeof(NearVoxel) +
         (size.window_cells + 1) * sizeof(std::uint32_t) + hash_slots(size.outside) * sizeof(CellEntry);
}

/// Share of the map's points, every k-th, within reach of a voxel.
double covered(const VoxelMap& map, const MapCloud& cloud) {
  constexpr std::size_t kLooked = 10000;
  const VoxelMapView view = map.view();
  const MapPoints points = cloud.points(map.origin());
  const std::size_t step = points.size / kLooked + 1;
  std::size_t looked = 0, held = 0;
  for (std::size_t k = 0; k < points.size; k += step, ++looked) {
    const Point p = points[k];
    const NearVoxels near = view.near_voxels(p);
    held += std::any_of(near.first, near.first + near.count, [&](const NearVoxel& voxel) {
      const Vec3<float> d = p - voxel.centroid;
      return dot(d, d) < view.squared_radius;
    });
  }
  return looked == 0 ? 0 : static_cast<double>(held) / static_cast<double>(looked);
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

/// "at most CPU 12.3 MB, 45.6 MB while built; device 12.9 MB, 99.1 MB while built".
std::string memory_text(const MemoryFacts& m) {
  const auto place = [](const char* name, const MapMemory& memory) {
    return fmt::format("{} {:.1f} MB, {:.1f} MB while built", name, megabytes(memory.held),
                       megabytes(memory.peak));
  };
  return "at most " + place("CPU", m.host) + "; " + place("device", m.device);
}

nlohmann::ordered_json voxels_json(const VoxelFacts& facts) {
  return {{"edge_m", facts.edge_m},
          {"voxels", facts.voxels},
          {"voxel_map_bytes", facts.bytes},
          {"covered", facts.covered}};
}

nlohmann::ordered_json memory_json(const MemoryFacts& m) {
  return {{"cpu_bytes", m.host.held},
          {"cpu_peak_bytes", m.host.peak},
          {"device_bytes", m.device.held},
          {"device_peak_bytes", m.device.peak}};
}

std::string alignments_text(const MapDescription& d) {
  return fmt::format(
      "alignments       at most CPU {:.1f} MB; device {:.1f} MB, and {:.1f} MB pinned; of scans of {} "
      "points, {} at "
      "once\n",
      megabytes(d.host_alignments.host), megabytes(d.device_alignments.device),
      megabytes(d.device_alignments.pinned), d.batches.scan_points, d.batches.poses);
}

nlohmann::ordered_json alignments_json(const MapDescription& d) {
  return {{"scan_points", d.batches.scan_points},
          {"poses", d.batches.poses},
          {"cpu_bytes", d.host_alignments.host},
          {"device_bytes", d.device_alignments.device},
          {"pinned_bytes", d.device_alignments.pinned}};
}

/// Builds the levels as an aligner does, but keeps none. Throws InputError where it would.
void take_levels(const PointCloud& cloud, const AlignOptions& options, MapDescription& d) {
  const MapExtent extent{static_cast<std::uint64_t>(d.points),
                         static_cast<std::uint64_t>(d.non_finite_points), d.low, d.high};
  const MapCloud points(cloud, options);
  const auto facts = [&](const VoxelMap& map) {
    return VoxelFacts{map.resolution_m(), map.info().voxels, bytes_of(map), covered(map, points)};
  };
  std::vector<LevelSize> sizes = build_levels(options, [&](const AlignOptions& level) {
    const VoxelMap map(points, level);
    d.levels.push_back(facts(map));
    return map.size();
  });
  if (options.finish == Finish::windows) {
    const VoxelMap windows = VoxelMap::windows(points, options);
    d.windows = facts(windows);
    sizes.push_back(windows.size());
  }
  d.memory = MemoryFacts{host_memory(extent, sizes), device_memory(extent, sizes, options.min_points)};
}

nlohmann::ordered_json survey_of(const std::filesystem::path& map) {
  const std::filesystem::path facts = survey_facts(map);
  if (facts.empty()) return nullptr;
  return read_json(facts, "remove its folder: it is made anew");
}

/// "site.laz, coordinate system EPSG:32632; scale [0.001,0.001,0.001] m, offset [500000.0,...] m".
std::string survey_text(const nlohmann::ordered_json& survey) {
  const auto text_of = [&](const char* pointer) {
    const nlohmann::ordered_json entry = entry_at(survey, pointer);
    return entry.is_string() ? printable_name(entry.get<std::string>()) : entry.dump();
  };
  std::string text = text_of("/source");
  text += ", coordinate system " + (entry_at(survey, "/crs").is_null() ? "not named" : text_of("/crs"));
  if (!entry_at(survey, "/scale_m").is_null())
    text += fmt::format("; scale {} m, offset {} m", text_of("/scale_m"), text_of("/offset_m"));
  return text;
}

/// Number of bytes of the points in memory.
std::uint64_t point_bytes(const MapDescription& d) {
  return static_cast<std::uint64_t>(d.points) * sizeof(Point);
}

}  // namespace

MapDescription describe_map(const std::filesystem::path& path, BinFields fields, const AlignOptions& options,
                            const Batches& batches) {
  MapDescription d;
  d.batches = batches;
  d.host_alignments = host_scan_memory(batches.scan_points, batches.poses);
  d.device_alignments = device_scan_memory(batches.scan_points, batches.poses);
  const MapFiles files = map_files(path, fields);
  const Stopwatch read;
  const LoadedMap map = files.load();
  d.read_us = read.elapsed_us();
  d.survey = survey_of(path);
  d.tiles = map.tiles;
  d.tile_width_m = files.tile_width_m(), d.tile_height_m = files.tile_height_m();
  d.points = static_cast<std::int64_t>(map.cloud.size());
  d.resolution_m = options.resolution_m;
  take_extent(map.cloud, d);
  const Stopwatch build;
  try {
    take_levels(map.cloud, options, d);
  } catch (const InputError& error) {
    d.levels.clear();
    d.windows.reset();
    d.no_voxel_map = error.what();
  }
  d.build_us = build.elapsed_us();
  return d;
}

std::string to_text(const MapDescription& d) {
  std::string text = fmt::format("points           {}, of them {} not finite; {:.1f} MB in memory\n",
                                 d.points, d.non_finite_points, megabytes(point_bytes(d)));
  if (!d.survey.is_null()) text += fmt::format("survey           {}\n", survey_text(d.survey));
  if (d.tiles > 0)
    text += fmt::format("tiles            {}{}\n", d.tiles,
                        d.tile_width_m > 0 ? fmt::format(" of {} by {} m", d.tile_width_m, d.tile_height_m)
                                           : ", without metadata");
  text += fmt::format("extent           x {:.3f} to {:.3f}  y {:.3f} to {:.3f}  z {:.3f} to {:.3f} m\n",
                      d.low.x, d.high.x, d.low.y, d.high.y, d.low.z, d.high.z);
  for (const VoxelFacts& level : d.levels)
    text += fmt::format(
        "voxels           {} of {} m; {:.1f} MB that alignments read; {:.0f} % of the points have one\n",
        level.voxels, level.edge_m, megabytes(level.bytes), 100 * level.covered);
  if (d.windows)
    text += fmt::format("windows          {} in cells of {} m; {:.1f} MB that alignments read\n",
                        d.windows->voxels, d.windows->edge_m, megabytes(d.windows->bytes));
  if (d.levels.empty())
    text += fmt::format("voxels           none of {} m: {}\n", d.resolution_m, d.no_voxel_map);
  if (d.memory) text += fmt::format("memory           {}, beside the points\n", memory_text(*d.memory));
  text += alignments_text(d);
  return text + fmt::format("read             {:.3f} ms\nbuild            {:.3f} ms\n", d.read_us / 1000,
                            d.build_us / 1000);
}

nlohmann::ordered_json to_json(const MapDescription& d) {
  nlohmann::ordered_json json = {{"points", d.points},
                                 {"non_finite_points", d.non_finite_points},
                                 {"point_bytes", point_bytes(d)},
                                 {"survey", d.survey},
                                 {"tiles", d.tiles}};
  json["tile_size_m"] = nullptr;
  if (d.tile_width_m > 0) json["tile_size_m"] = {d.tile_width_m, d.tile_height_m};
  json["low_m"] = {d.low.x, d.low.y, d.low.z};
  json["high_m"] = {d.high.x, d.high.y, d.high.z};
  json["resolution_m"] = d.resolution_m;
  json["voxels"] = d.levels.empty() ? 0 : d.levels.back().voxels;
  json["voxel_map_bytes"] = d.levels.empty() ? 0 : d.levels.back().bytes;
  json["no_voxel_map"] = nullptr;
  if (d.levels.empty()) json["no_voxel_map"] = d.no_voxel_map;
  json["levels"] = nlohmann::ordered_json::array();
  for (const VoxelFacts& level : d.levels) json["levels"].push_back(voxels_json(level));
  json["windows"] = nullptr;
  if (d.windows) json["windows"] = voxels_json(*d.windows);
  json["memory"] = nullptr;
  if (d.memory) json["memory"] = memory_json(*d.memory);
  json["alignments"] = alignments_json(d);
  json["read_us"] = d.read_us;
  json["build_us"] = d.build_us;
  return json;
}

}  // namespace ndt::harness
