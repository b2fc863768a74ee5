// The setting and the truth of a localisation: files beside its frames, from which a report is made.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "localize/scan_sequence.hpp"
#include "ndt/align/align_options.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "ndt/localization/map_update_policy.hpp"

namespace ndt::harness {

inline constexpr const char *kRecord = "localization.json", *kRecordTruth = "localization_truth.tum",
                            *kRecordMap = "localization_map.pcd";
inline constexpr std::array kRecordFiles{kRecord, kRecordTruth, kRecordMap};

/// Names of ROS frames for a recording, from a parameter file; nothing: the usual ones.
struct FrameNames {
  std::optional<std::string> base, ndt_base, map;
};

struct RunRecord {
  std::string implementation, runs_on, profile, command_line;
  localization::LocalizerOptions localizer;
  AlignOptions align;
  std::optional<localization::MapFollowing> map_following;  ///< nothing: the map was whole
  double critical_ms = 0, points_timeout_s = 0;
  FrameNames frames{};
};

/// Writes implementation, options and machine (localization.json), the true poses of the scans that have one
/// (localization_truth.tum) and some points of the map for a picture (localization_map.pcd). Those of an
/// earlier localisation are replaced, or removed where there is no truth. Throws InputError.
void write_run_record(const std::filesystem::path& folder, const RunRecord& record,
                      const ScanSequence& sequence, const PointCloud& map);
/// Replaces the points for a picture, when a map that follows has been everywhere.
void write_record_map(const std::filesystem::path& folder, const PointCloud& map);

}  // namespace ndt::harness
