// Results as commands print them: short lines with units for people, JSON and CSV for programs.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/prior_arguments.hpp"
#include "data/preparation.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/initial_pose/anywhere.hpp"
#include "ndt/initial_pose/verdict.hpp"
#include "registry/search_arguments.hpp"

namespace ndt::harness {

/// "scan filters     of 3000 points left: finite 2998, range 2890"; empty if no filter was asked for.
std::string filters_text(std::string_view cloud, const PreparedCloud& prepared);

std::string to_text(const AlignResult& result);
std::string to_text(const Evaluation& evaluation);
std::string trace_text(const AlignResult& result);
/// Count, extent, points per voxel, and the first rows.
std::string to_text(std::span<const VoxelInfo> voxels, double resolution_m);

/// "3.21 ms (median of 5, 3.10 to 3.90)".
std::string time_text(const std::vector<double>& times_us);

// JSON: the key names are part of the command line's contract.

/// The times of a registration of two files.
struct AlignTimes {
  double read_us = 0;  ///< the map: its files, and its filters
  double build_us = 0;
  std::vector<double> align_us;
};

nlohmann::ordered_json to_json(const AlignResult& result, std::string_view implementation,
                               const AlignTimes& times, bool with_trace);
nlohmann::ordered_json to_json(const Evaluation& evaluation, std::string_view implementation);
nlohmann::ordered_json to_json(std::span<const VoxelInfo> voxels, std::string_view implementation,
                               double resolution_m);

/// Sets verdict, doubt, covariance, reliable_nvtl, reliable_matched, and what put_evidence() sets.
void put_verdict(nlohmann::ordered_json& object, const initial_pose::PoseJudgement& judgement,
                 const initial_pose::ReliableBounds& bounds);
/// Sets overlap, matched, spread_m and spread_deg; null where there is none or no bound.
void put_evidence(nlohmann::ordered_json& object, const initial_pose::Evidence& evidence);
/// A line of what a second look found, if one was taken.
std::string second_look_text(const initial_pose::PoseJudgement& judgement);

/// Sets `key` to the points given and what each filter removed and left; nothing if no filter was asked for.
void put_preparation(nlohmann::ordered_json& object, const char* key, const PreparedCloud& prepared);

/// One object on one line of stdout.
void print_json(const nlohmann::ordered_json& object);

/// How the scanner is mounted, as far as a search with method anywhere tried.
enum class Mounting { level, upside_down, neither };
constexpr auto enum_names(Mounting) { return std::array{"level", "upside_down", "neither"}; }
using ndt::to_string;

/// The coarse part of a search with method anywhere.
struct AnywhereAnswer {
  PriorKind kind = PriorKind::map;
  initial_pose::PlaceRegion region;
  double cell_m = 0, pyramid_us = 0, coarse_us = 0;
  std::uint64_t pyramid_bytes = 0;
  bool pyramid_kept = false;  ///< read from where it was kept, not built
  bool on_device = false;     ///< searched there, not on threads
  /// level: as --guess tells; neither: that and upside down were tried, and the first stands.
  Mounting mounting = Mounting::level;
  initial_pose::PlacesFound coarse;
};

/// The finding of a search, what it was asked and how long it took.
struct SearchAnswer {
  std::string_view implementation, runs_on;
  ResolvedSearch setting;
  initial_pose::PosePrior prior;
  PriorKind prior_kind = PriorKind::pose;
  double build_us = 0;
  std::vector<double> search_us;                 ///< of every repeat
  std::vector<initial_pose::SearchTimes> times;  ///< likewise
  initial_pose::SearchResult result;
  std::optional<AnywhereAnswer> anywhere;
  std::string unknown_scale;  ///< names what no threshold is known for
};

/// Every particle with it.
nlohmann::ordered_json to_json(const SearchAnswer& answer);
std::string to_text(const SearchAnswer& answer);
/// The verdict with what speaks for it or against it, a line for each doubt.
std::string verdict_text(const SearchAnswer& answer);
/// The times of repeated searches: medians by part and work.
nlohmann::ordered_json to_json(std::span<const initial_pose::SearchTimes> times);
std::string to_text(std::span<const initial_pose::SearchTimes> times);
/// Places, their lattice and what was covered.
nlohmann::ordered_json to_json(const AnywhereAnswer& answer);
std::string to_text(const AnywhereAnswer& answer);

struct TextColumn {
  std::string title, unit;  ///< two heading lines; the second is left out if no column has a unit
  bool left = false;        ///< aligned left instead of right
};

/// A fixed-width table for terminals: one space between columns, each as wide as its widest cell; every row
/// must have one cell per column.
std::string text_table(std::span<const TextColumn> columns, std::span<const std::vector<std::string>> rows);

/// Writes a CSV file with the heading index,x_m,y_m,z_m,score and one line per usable point of the scan
/// (align/usable_points.hpp): its index in the scan, all points counted, its coordinates in the scan's frame,
/// and its entry of Evaluation::point_scores. All digits are kept. Throws InputError if it cannot be written,
/// std::logic_error unless there is one score per usable point.
void write_point_scores(const std::filesystem::path& file, const PointCloud& scan,
                        std::span<const float> scores);

}  // namespace ndt::harness
