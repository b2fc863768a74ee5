// ndt-bench voxels: the map as an implementation sees it.
#include <fmt/format.h>

#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/map_flags.hpp"
#include "cli/common/print.hpp"

namespace ndt::harness {
namespace {

struct VoxelsCommand {
  MapArguments map;
  std::string implementation{kAuto};
  AlignArguments align;
  PreparationArguments preparation;
  bool json = false;
};

ExitCode voxels(const VoxelsCommand& a) {
  const AlignOptions options = resolve(a.align);
  const ScanPreparation filters = map_preparation(a.preparation);
  const Implementation& entry = implementation_from(a.implementation);
  const std::unique_ptr<Aligner> aligner = entry.make(options);

  const GivenMap map(a.map, std::nullopt, filters);
  const MapInfo info = aligner->set_map(map.cloud());
  const std::vector<VoxelInfo> table = aligner->voxels();
  if (a.json) {
    nlohmann::ordered_json json = to_json(table, entry.name, options.resolution_m);
    put_map(json, map);
    print_json(json);
    return ExitCode::ok;
  }
  fmt::print("implementation   {} ({})\n{}", entry.name, entry.runs_on, map.text());
  fmt::print("map              {} points, {} dropped as not finite\n{}", info.points, info.dropped_points,
             to_text(table, options.resolution_m));
  return ExitCode::ok;
}

}  // namespace

void add_voxels(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<VoxelsCommand>();
  CLI::App& command = add_command(app, chosen, "voxels", "Print the voxel table of a map", a, voxels);
  add_map_flag(command, a->map);
  add_implementation_flag(command, a->implementation);
  command.add_flag("--json", a->json, "one JSON object on stdout, with units in its key names");
  add_align_flags(command, a->align);
  add_threads_flag(command, a->align);
  add_map_preparation_flags(command, a->preparation);
}

}  // namespace ndt::harness
