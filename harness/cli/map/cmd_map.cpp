// ndt-bench map: cuts a map into tiles, joins them, and makes smaller maps of large ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/input_warnings.hpp"
#include "cli/common/interruptible.hpp"
#include "cli/common/late_progress.hpp"
#include "cli/common/map_flags.hpp"
#include "cli/common/print.hpp"
#include "cli/map/map_description.hpp"
#include "data/map_cut.hpp"
#include "data/surveyed_map.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/map_metadata.hpp"

namespace ndt::harness {
namespace {

struct MapCommand {
  std::string map, out;
  double size_m = 20, leaf_m = 0;
  AlignArguments align;
  std::vector<std::string> box;
  BinFields bin_fields;
  Batches batches;
  bool json = false;
};

/// A file's map, or that of a dataset's name.
PointCloud map_to_cut(const MapCommand& a) {
  if (!std::filesystem::exists(a.map)) {
    const std::vector<DatasetInfo> datasets = list_datasets();
    if (std::ranges::find(datasets, a.map, &DatasetInfo::name) != datasets.end())
      return load_with_progress(a.map).map(0);
  }
  return map_files(a.map, a.bin_fields).load().cloud;
}

CutSummary cut_with_progress(const PointCloud& map, const MapCommand& a) {
  LateProgress progress;
  return cut_map(map, a.size_m, a.out, [&](const Progress& tiles) {
    Interruption::check();
    progress.show(tiles.done, tiles.total, "tiles");
  });
}

ExitCode cut(const MapCommand& a) {
  const PointCloud map = map_to_cut(a);
  const CutSummary cut =
      interruptible([&] { return cut_with_progress(map, a); }, [] { return "no tile is kept"; });
  fmt::print("{}: {} tiles of {} m with {}, {} points, {} dropped as not finite\n", printable_name(a.out),
             cut.tiles, a.size_m, kMetadataName, cut.points, cut.dropped_points);
  return ExitCode::ok;
}

/// Writes what is left of a map, and says from how much.
ExitCode write(const MapCommand& a, const LoadedMap& from, const PreparedCloud& left) {
  write_cloud(a.out, left.cloud);
  fmt::print("{}: {} points of {}{}\n", printable_name(a.out), left.cloud.size(), left.given_points,
             from.tiles > 0 ? fmt::format(" in {} tiles", from.tiles) : "");
  return ExitCode::ok;
}

ExitCode filtered(const MapCommand& a, const ScanPreparation& filters,
                  const std::optional<MapArea>& area = {}) {
  if (!is_written_cloud(a.out))
    throw UsageError("--out is not a cloud file: its name must end in .pcd, .ply or .bin");
  LoadedMap map = map_files(a.map, a.bin_fields).load(area);
  const PreparedCloud left = prepare(std::move(map.cloud), filters);
  return write(a, map, left);
}

ExitCode merge(const MapCommand& a) { return filtered(a, {}); }

/// How far outside its tile a point of the box may lie: coordinates in float32 are rounded, too.
double slack_of(const CropBox& box) {
  double farthest_m = 0;
  for (const double m : {box.low.x, box.low.y, box.high.x, box.high.y})
    farthest_m = std::max(farthest_m, std::abs(m));
  return kTileSlackM + 2 * farthest_m * static_cast<double>(std::numeric_limits<float>::epsilon());
}

ExitCode crop(const MapCommand& a) {
  ScanPreparation filters;
  filters.crop_box = box_from(a.box, "--box");
  if (!filters.crop_box) throw UsageError("--box is missing: give x0,y0,z0,x1,y1,z1 in metres");
  validate(filters, "map");
  const auto& [low, high] = *filters.crop_box;
  return filtered(a, filters, MapArea{low.x, low.y, high.x, high.y, slack_of(*filters.crop_box)});
}

ExitCode thin(const MapCommand& a) {
  require_closed("leaf", a.leaf_m, 0.001, 1000);
  ScanPreparation filters;
  filters.voxel_leaf_m = a.leaf_m;
  return filtered(a, filters);
}

ExitCode describe(const MapCommand& a) {
  if (a.batches.scan_points > Limits::kPoints)
    throw UsageError(
        fmt::format("--scan-points = {}: must be at most {}", a.batches.scan_points, Limits::kPoints));
  if (a.batches.poses > Limits::kBatch)
    throw UsageError(fmt::format("--poses = {}: must be at most {}", a.batches.poses, Limits::kBatch));
  const AlignOptions options = resolve(a.align);
  const MapDescription description = describe_map(a.map, a.bin_fields, options, a.batches);
  if (!description.levels.empty())
    warn_of_thin_map(description.levels.back().covered, description.levels.back().edge_m);
  if (a.json)
    print_json(to_json(description));
  else
    fmt::print("{}", to_text(description));
  return ExitCode::ok;
}

CLI::App& add(CLI::App& app, Command& chosen, const char* name, const char* about,
              const std::shared_ptr<MapCommand>& a, ExitCode (*run)(const MapCommand&)) {
  CLI::App& command = add_command(app, chosen, name, about, a, run);
  command
      .add_option("map", a->map,
                  fmt::format("cloud ({}, or .las, .laz, .e57 through Python), folder of tiles, or their {}",
                              cloud_extensions(), kMetadataName))
      ->type_name("FILE|DIR")
      ->required();
  add_bin_fields_flag(command, a->bin_fields);
  return command;
}

void add_out(CLI::App& command, MapCommand& a, const char* about, const char* type) {
  command.add_option("--out", a.out, about)->type_name(type)->required();
}

constexpr const char* kCloudOut = "cloud (.pcd, .ply or .bin); an older one is replaced";

}  // namespace

void add_map(CLI::App& app, Command& chosen) {
  CLI::App& map = *app.add_subcommand("map", "Cut, merge, describe, crop or thin a map");
  map.require_subcommand(1);
  const auto a = std::make_shared<MapCommand>();
  CLI::App& cut_command =
      add(map, chosen, "cut", "Write a map as square tiles with the metadata that Autoware reads", a, cut);
  cut_command.add_option("--size", a->size_m, "edge of a tile, whose corners are its multiples, 0.1 to 1e6")
      ->type_name("M")
      ->capture_default_str();
  add_out(cut_command, *a, "folder, made with its parents; one that is not empty is refused", "DIR");
  add_out(add(map, chosen, "merge", "Write the tiles of a map as one cloud", a, merge), *a, kCloudOut,
          "FILE");

  CLI::App& describe_command =
      add(map, chosen, "describe", "Print extent, points, tiles, voxels and memory of a map", a, describe);
  add_voxel_flags(describe_command, a->align);
  describe_command
      .add_option("--scan-points", a->batches.scan_points,
                  "points of a scan, to print the memory of its alignments")
      ->type_name("N")
      ->capture_default_str();
  describe_command
      .add_option("--poses", a->batches.poses, "poses of one batch, such as the particles of a search")
      ->type_name("N")
      ->capture_default_str();
  describe_command.add_flag("--json", a->json, "one JSON object on stdout, with units in its key names");

  CLI::App& crop_command = add(map, chosen, "crop", "Write the points of a map in a box", a, crop);
  crop_command.add_option("--box", a->box, "x0,y0,z0,x1,y1,z1 in metres; points on its faces are kept")
      ->type_name("BOX")
      ->expected(1, 6)
      ->required();
  add_out(crop_command, *a, kCloudOut, "FILE");

  CLI::App& thin_command =
      add(map, chosen, "thin", "Write one point for every occupied cube of a map: its centroid", a, thin);
  thin_command.add_option("--leaf", a->leaf_m, "edge of a cube, 0.001 to 1000")->type_name("M")->required();
  add_out(thin_command, *a, kCloudOut, "FILE");
}

}  // namespace ndt::harness
