// A registration as coloured PLY files: the map in grey, the scan where it was expected in blue, and where it
// was found, each point coloured by its score.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "localize/localized_scan.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::harness {

class SceneFiles {
 public:
  /// Throws InputError if `folder` exists and is not an empty folder.
  explicit SceneFiles(const std::filesystem::path& folder) : making_(folder) {}

  /// <prefix>map.ply
  void put_map(const PointCloud& map, const std::string& prefix = "");
  /// <prefix>scan_before.ply and <prefix>scan_after.ply. Without a scorer, which has the map, the latter is
  /// green.
  void put_scan(const std::string& prefix, const PointCloud& scan, const Transform& before,
                const Transform& after, Aligner* scorer);
  /// align.json: what align --json prints.
  void put_result(const nlohmann::ordered_json& result);
  /// The files take their place.
  void finish() { making_.finish(); }

 private:
  FolderInMaking making_;
};

/// The scenes of some scans of a localisation; none without a folder.
class FrameScenes {
 public:
  /// `list` has numbers of frames, separated by commas; empty: the first and the last. Throws UsageError for
  /// one that is not below `count`, InputError as SceneFiles does.
  FrameScenes(const std::string& folder, const std::string& list, std::size_t count);

  void add_map(const PointCloud& map);
  /// True for one of the chosen frames.
  bool has(const LocalizedScan& scan) const { return frames_.contains(scan.frame); }
  /// Adds the map of a chosen frame that has its own.
  void add_map_of(const LocalizedScan& scan, const PointCloud& map);
  /// Adds the scan if it is one of the chosen frames.
  void add(const LocalizedScan& scan, Aligner& scorer);
  void finish();

 private:
  std::set<std::size_t> frames_;
  std::optional<SceneFiles> files_;
};

}  // namespace ndt::harness
