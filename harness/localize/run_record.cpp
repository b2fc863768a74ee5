#include "localize/run_record.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "base/environment.hpp"
#include "base/json_struct.hpp"
#include "data/preparation.hpp"
#include "ndt/align/option_table.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/output_file.hpp"
#include "ndt/io/trajectory.hpp"
#include "registry/option_keys.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

constexpr std::int64_t kMapPoints = 60000;

/// Every option of a table, also those that were not given.
template <class Table, class Struct>
json all_options(const Table& table, const Struct& options) {
  auto j = json::object();
  for_each_option(table,
                  [&](const auto& option) { j[key_of(option.name)] = value_json(options.*option.member); });
  return j;
}

json align_json(const RunRecord& record) {
  json j{{"profile", record.profile}};
  j.update(all_options(kAlignOptions, record.align));
  return j;
}

json localizer_json(const localization::LocalizerOptions& options) {
  json j = all_options(localization::kLocalizerOptions, options);
  for (const localization::Offset& offset : options.offsets) j["offsets"].push_back({offset.x, offset.y});
  return j;
}

json truth_json(const TruthFacts& truth) {
  return {{"quality", truth.quality},
          {"exact", truth.exact},
          {"accuracy_m", truth.accuracy_m},
          {"success_translation_m", truth.success_translation_m},
          {"success_rotation_deg", truth.success_rotation_deg}};
}

json frames_json(const FrameNames& frames) {
  const auto name = [](const std::optional<std::string>& frame) { return frame ? json(*frame) : json(); };
  return {{"base", name(frames.base)}, {"ndt_base", name(frames.ndt_base)}, {"map", name(frames.map)}};
}

std::vector<StampedTransform> truth_of(const ScanSequence& sequence) {
  std::vector<StampedTransform> poses;
  for (const TimedScan& scan : sequence.scans)
    if (scan.truth) poses.push_back({scan.stamp_s, *scan.truth});
  return poses;
}

}  // namespace

void write_run_record(const std::filesystem::path& folder, const RunRecord& record,
                      const ScanSequence& sequence, const PointCloud& map) {
  const std::vector<StampedTransform> truth = truth_of(sequence);
  json environment = json::parse(environment_json("", record.command_line));
  environment.erase("run_id");
  const json j{{"implementation", record.implementation},
               {"runs_on", record.runs_on},
               {"scans", sequence.name},
               {"scan_count", sequence.scans.size()},
               {"truth", truth.empty() ? json() : truth_json(sequence.truth)},
               {"map_points", map.size()},
               {"map_following", record.map_following
                                     ? all_options(localization::kMapFollowingOptions, *record.map_following)
                                     : json()},
               {"critical_ms", record.critical_ms},
               {"points_timeout_s", record.points_timeout_s},
               {"frames", frames_json(record.frames)},
               {"localizer", localizer_json(record.localizer)},
               {"align", align_json(record)},
               {"environment", environment}};
  write_text(folder / kRecord, j.dump(1, ' ', false, json::error_handler_t::replace));
  if (truth.empty())
    remove_old(folder / kRecordTruth);
  else
    write_tum(folder / kRecordTruth, truth);
  write_record_map(folder, map);
}

void write_record_map(const std::filesystem::path& folder, const PointCloud& map) {
  write_pcd(folder / kRecordMap, {map.origin, random_sample(map.points, kMapPoints, 1)});
}

}  // namespace ndt::harness
