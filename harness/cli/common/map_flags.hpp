// The map of a command: a cloud, a folder of tiles or their metadata, and how much of it is read.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/io_names.hpp"
#include "data/preparation.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/initial_pose/search.hpp"
#include "ndt/io/clouds.hpp"
#include "ndt/io/tiled_map.hpp"

namespace ndt::harness {

/// Autoware's radius of a map that follows the vehicle.
inline constexpr double kUsualReachM = 150;
inline constexpr const char* kUsualReach = "150";

/// As they were typed.
struct MapArguments {
  std::string path;
  std::string radius;             ///< empty: the usual one
  BinFields bin_fields{};         ///< of .bin, also of the scans beside the map
  double usual_m = kUsualReachM;  ///< unless a parameter file says otherwise
};

/// For commands that read clouds.
void add_bin_fields_flag(CLI::App& command, BinFields& fields);
/// With it, --bin-fields.
CLI::Option& add_map_option(CLI::App& command, MapArguments& map);
/// Adds the same option, which must be given.
void add_map_flag(CLI::App& command, MapArguments& map);
/// `centre` and `usual` are for the help.
void add_map_radius_flag(CLI::App& command, MapArguments& map, const std::string& centre,
                         const std::string& usual);

/// The area that --map-radius takes in around a place; nothing for all. Throws UsageError if invalid.
std::optional<MapArea> near(const MapArguments& map, const Transform& place);
/// The usual radius is larger by three standard deviations, so that it is that of poses as far away.
std::optional<MapArea> near(const MapArguments& map, const initial_pose::PosePrior& prior);

/// A map as it was read and filtered.
class GivenMap {
 public:
  /// Reads the tiles that touch the area, all without one. A scan that lies in the map's folder is left out,
  /// and a line on stderr says so. Throws as MapFiles does, and UsageError if a radius was given and nothing
  /// tells where the tiles are.
  GivenMap(const MapArguments& map, const std::optional<MapArea>& area, const ScanPreparation& filters,
           const std::string& scan = {});

  const PointCloud& cloud() const { return prepared_.cloud; }
  PointCloud take_cloud() { return std::move(prepared_.cloud); }
  const PreparedCloud& prepared() const { return prepared_; }
  /// The time that reading and filtering took.
  double read_us() const { return read_us_; }
  /// "map tiles        4 of 12 within 150 m of (0.3, -0.2), 24112 points", and what filters left; empty for
  /// one file without filters.
  std::string text() const;
  /// Says on stderr what was read of a map in tiles, where a command has no such line.
  void notice_tiles() const;

 private:
  friend void put_map(nlohmann::ordered_json& object, const GivenMap& map);
  std::string tiles_text() const;

  std::optional<MapArea> area_;     ///< whose tiles were read; nothing for all
  std::size_t tiles_ = 0, of_ = 0;  ///< read, and there are; 0 for one file
  PreparedCloud prepared_;
  double read_us_ = 0;
};

/// Points of the files, tiles, and what the filters left of them.
std::string clouds_text(const GivenMap& map, const PreparedCloud& scan);
/// Sets map_tiles (for a map of tiles) and map_preparation (if filters were asked for).
void put_map(nlohmann::ordered_json& object, const GivenMap& map);

}  // namespace ndt::harness
