#include "cli/common/map_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "cli/common/print.hpp"
#include "data/surveyed_map.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/map_metadata.hpp"
#include "ndt/io/numbers.hpp"

namespace ndt::harness {
namespace {

constexpr const char *kAll = "all", *kRadiusFlag = "--map-radius";
constexpr double kRadiusMostM = 1e6;

/// Nothing for all.
std::optional<double> reach(const MapArguments& map, double usual_m) {
  if (map.radius.empty()) return usual_m;
  if (map.radius == kAll) return std::nullopt;
  const Real<double> radius = parse_real<double>(map.radius);
  if (radius.fault != RealFault::none || !(radius.value >= 0 && radius.value <= kRadiusMostM))
    throw UsageError(fmt::format("{} '{}': give metres up to {}, or all (0 means all)", kRadiusFlag,
                                 printable(map.radius), kRadiusMostM));
  if (radius.value == 0) return std::nullopt;
  return radius.value;
}

std::optional<MapArea> around(double x, double y, std::optional<double> reach_m) {
  if (!reach_m) return std::nullopt;
  return MapArea{x, y, x, y, *reach_m};
}

}  // namespace

void add_bin_fields_flag(CLI::App& command, BinFields& fields) {
  command
      .add_option("--bin-fields", fields,
                  "float32 values of a point in .bin files, x y z first, 3 to 6 (default: 4; files of "
                  "another width are refused)")
      ->type_name("N")
      ->check(CLI::Range(kBinFieldsLeast, kBinFieldsMost));
}

CLI::Option& add_map_option(CLI::App& command, MapArguments& map) {
  CLI::Option& option =
      *command
           .add_option("--map", map.path,
                       fmt::format("cloud to register onto ({}, or .las, .laz, .e57 through Python), "
                                   "folder of tiles, or their {}",
                                   cloud_extensions(), kMetadataName))
           ->type_name("FILE|DIR");
  add_bin_fields_flag(command, map.bin_fields);
  return option;
}

void add_map_flag(CLI::App& command, MapArguments& map) { add_map_option(command, map).required(); }

void add_map_radius_flag(CLI::App& command, MapArguments& map, const std::string& centre,
                         const std::string& usual) {
  command
      .add_option(kRadiusFlag, map.radius,
                  fmt::format("for a tiled map with metadata: read the tiles within this distance of {} "
                              "(default {}); all or 0: every tile",
                              centre, usual))
      ->type_name("M|all");
}

std::optional<MapArea> near(const MapArguments& map, const Transform& place) {
  const Vec3<double> p = translation_of(place);
  return around(p.x, p.y, reach(map, map.usual_m));
}

std::optional<MapArea> near(const MapArguments& map, const initial_pose::PosePrior& prior) {
  const double wide_m = 3 * std::max(prior.sigma[0], prior.sigma[1]);
  return around(prior.mean.x, prior.mean.y, reach(map, map.usual_m + wide_m));
}

GivenMap::GivenMap(const MapArguments& map, const std::optional<MapArea>& area,
                   const ScanPreparation& filters, const std::string& scan) {
  const Stopwatch read;
  MapFiles files = map_files(map.path, map.bin_fields);
  if (!scan.empty() && files.leave_out(scan))
    notice("ndt-bench: the scan {} lies in the folder of the map and is left out of the map\n",
           printable_name(scan));
  if (files.places_known())
    area_ = area;
  else if (area && !map.radius.empty())
    throw UsageError(
        fmt::format("{} requires a tiled map with metadata, and {} is not one; remove the option",
                    kRadiusFlag, printable_name(map.path)));
  LoadedMap loaded = files.load(area_);
  tiles_ = loaded.tiles;
  if (files.in_tiles()) of_ = files.tiles().size();
  prepared_ = prepare(std::move(loaded.cloud), filters);
  read_us_ = read.elapsed_us();
}

std::string GivenMap::tiles_text() const {
  if (of_ == 0) return "";
  const std::string which = area_ ? fmt::format("{} of {} within {:g} m of ({:g}, {:g})", tiles_, of_,
                                                area_->reach_m, area_->low_x, area_->low_y)
                                  : fmt::format("all {}", of_);
  return fmt::format("map tiles        {}, {} points\n", which, prepared_.given_points);
}

std::string GivenMap::text() const { return tiles_text() + filters_text("map", prepared_); }

void GivenMap::notice_tiles() const {
  if (of_ > 0) notice("ndt-bench: {}", tiles_text());
}

std::string clouds_text(const GivenMap& map, const PreparedCloud& scan) {
  return fmt::format("clouds           map {} points, scan {} points\n{}{}", map.prepared().given_points,
                     scan.given_points, map.text(), filters_text("scan", scan));
}

void put_map(nlohmann::ordered_json& object, const GivenMap& map) {
  if (map.of_ > 0) {
    nlohmann::ordered_json tiles = {{"tiles", map.of_}, {"read", map.tiles_}};
    tiles["points"] = map.prepared_.given_points;
    tiles["centre_m"] = nullptr, tiles["radius_m"] = nullptr;
    if (map.area_) {
      tiles["centre_m"] = {map.area_->low_x, map.area_->low_y};
      tiles["radius_m"] = map.area_->reach_m;
    }
    object["map_tiles"] = std::move(tiles);
  }
  put_preparation(object, "map_preparation", map.prepared_);
}

}  // namespace ndt::harness
