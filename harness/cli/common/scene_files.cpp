#include "cli/common/scene_files.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.hpp"
#include "io/coloured_ply.hpp"
#include "ndt/align/usable_points.hpp"
#include "ndt/io/numbers.hpp"

namespace ndt::harness {
namespace {

constexpr Colour kGrey{150, 150, 150}, kBlue{40, 110, 255};

std::set<std::size_t> chosen_frames(const std::string& list, std::size_t count) {
  std::set<std::size_t> frames;
  for (const double number : parse_numbers(list, "--ply-frames")) {
    if (!(number >= 0 && number < static_cast<double>(count) && number == std::floor(number)))
      throw UsageError(fmt::format("--ply-frames: {} is no frame; they are 0 to {}", number, count - 1));
    frames.insert(static_cast<std::size_t>(number));
  }
  return frames;
}

std::string prefix_of(const LocalizedScan& scan) { return fmt::format("{:06}_", scan.frame); }

}  // namespace

void SceneFiles::put_map(const PointCloud& map, const std::string& prefix) {
  write_coloured_ply(making_.path() / (prefix + "map.ply"), map, {}, kGrey);
}

void SceneFiles::put_scan(const std::string& prefix, const PointCloud& scan, const Transform& before,
                          const Transform& after, Aligner* scorer) {
  write_coloured_ply(making_.path() / (prefix + "scan_before.ply"), scan, before, kBlue);
  const std::filesystem::path file = making_.path() / (prefix + "scan_after.ply");
  const std::vector<std::size_t> usable = usable_indices(scan);
  if (!scorer || usable.empty()) return write_coloured_ply(file, scan, after, score_colour(1));
  PerScan per_scan;
  per_scan.point_scores = true;
  write_scored_ply(file, scan, after, usable, scorer->evaluate(scan, after, per_scan).point_scores);
}

void SceneFiles::put_result(const nlohmann::ordered_json& result) {
  write_text(making_.path() / "align.json",
             result.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

FrameScenes::FrameScenes(const std::string& folder, const std::string& list, std::size_t count) {
  if (folder.empty()) return;
  frames_ = {0, count - 1};
  if (!list.empty()) frames_ = chosen_frames(list, count);
  files_.emplace(folder);
}

void FrameScenes::add_map(const PointCloud& map) {
  if (files_) files_->put_map(map);
}

void FrameScenes::add_map_of(const LocalizedScan& scan, const PointCloud& map) {
  if (has(scan)) files_->put_map(map, prefix_of(scan));
}

void FrameScenes::add(const LocalizedScan& scan, Aligner& scorer) {
  if (!has(scan)) return;
  files_->put_scan(prefix_of(scan), *scan.cloud, scan.report->prediction.map_from_scan,
                   scan.report->map_from_scan, &scorer);
}

void FrameScenes::finish() {
  if (files_) files_->finish();
}

}  // namespace ndt::harness
