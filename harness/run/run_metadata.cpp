#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/errors.hpp"
#include "base/fnv1a.hpp"
#include "data/load_dataset.hpp"
#include "data/preparation.hpp"
#include "io/json_file.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/output_file.hpp"
#include "peers/peer_file.hpp"
#include "peers/peers.hpp"
#include "run/run_folder.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kDatasets = "datasets.json";

/// A checksum of the bytes of clouds: tells whether two runs saw the same data.
class Fingerprint {
 public:
  void add(const PointCloud& cloud) {
    for (const double origin : {cloud.origin.x, cloud.origin.y, cloud.origin.z}) add(origin);
    for (const Point& p : cloud.points)
      for (const float value : {p.x, p.y, p.z}) add(value);
  }
  std::string text() const { return fmt::format("fnv1a64:{:016x}", hash_.value()); }

 private:
  template <class T>
  void add(T value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes) hash_.add(byte);
  }
  Fnv1a hash_;
};

json or_null(const std::string& text) { return text.empty() ? json() : json(text); }

/// Map points near the pose and the scan, few enough for a picture.
struct Picture {
  std::string frame;
  PointCloud map, scan;
};

Picture picture_of(const Dataset& dataset, std::size_t frame, const PointCloud& map_cloud,
                   const PointCloud& scan_cloud) {
  constexpr std::int64_t kMapPoints = 40000, kScanPoints = 4000;
  constexpr double kAroundM = 60;
  const Frame& shown = dataset.frames[frame];
  const Vec3<double> at = translation_of(shown.truth ? *shown.truth : shown.guesses.at(0).map_from_scan);
  ScanPreparation near;
  near.crop_box = CropBox{{at.x - kAroundM, at.y - kAroundM, -1e6}, {at.x + kAroundM, at.y + kAroundM, 1e6}};
  near.sample_points = kMapPoints;
  ScanPreparation thin;
  thin.sample_points = kScanPoints;
  return {shown.name, prepare(map_cloud, near).cloud, prepare(scan_cloud, thin).cloud};
}

json write_picture(const std::filesystem::path& folder, const Dataset& dataset, const Picture& picture) {
  const std::string map = fmt::format("clouds/{}_map.pcd", dataset.name);
  const std::string scan = fmt::format("clouds/{}_scan.pcd", dataset.name);
  write_pcd(folder / map, picture.map);
  write_pcd(folder / scan, picture.scan);
  return {{"frame", picture.frame}, {"map", map}, {"scan", scan}};
}

/// The record in datasets.json of the clouds that a run was begun with. Until there are measurements, nothing
/// depends on the record.
class RecordedDatasets {
 public:
  explicit RecordedDatasets(const RunFolder& folder) : file_(folder.path() / kDatasets) {
    if (folder.measurements() == 0) return;
    const json list = read_json(file_, kBeginANewRun);
    recorded_.emplace();
    for (const json& entry : list.is_array() ? list : json::array())
      if (entry.is_object() && entry.contains("name") && entry.contains("fingerprint"))
        (*recorded_)[entry["name"].dump()] = entry["fingerprint"];
  }

  /// Throws InputError if the run was begun with other clouds under this name.
  void require(const std::string& name, const std::string& fingerprint) const {
    if (!recorded_) return;
    const auto found = recorded_->find(json(name).dump());
    if (found == recorded_->end())
      throw refusal(printable_name(file_.string()), "", fmt::format("does not describe {}", printable(name)),
                    kBeginANewRun);
    if (found->second != fingerprint)
      throw refusal(printable_name(file_.string()), "",
                    fmt::format("the dataset {} has another map or other scans than the run began with",
                                printable(name)),
                    "put its files back, or begin a new run");
  }

 private:
  static constexpr const char* kBeginANewRun = "begin a new run";

  std::filesystem::path file_;
  std::optional<std::map<std::string, json>> recorded_;
};

json dataset_json(const std::filesystem::path& folder, const Dataset& dataset,
                  const std::vector<std::size_t>& frames, const RecordedDatasets& recorded) {
  Fingerprint fingerprint;
  PointCloud map;
  Picture picture;
  for (const std::size_t frame : frames) {
    if (!dataset.one_map || frame == frames.front()) {
      map = dataset.map(frame);
      fingerprint.add(map);
    }
    const PointCloud scan = dataset.scan(frame);
    fingerprint.add(scan);
    // However few frames a study takes, the first is among them: what it found is drawn on this map.
    if (frame == frames.front()) picture = picture_of(dataset, frame, map, scan);
  }
  recorded.require(dataset.name, fingerprint.text());
  return {
      {"name", dataset.name},
      {"kind", dataset.kind},
      {"description", dataset.description},
      {"frames", frames.size()},
      {"map_points", map.size()},
      {"resolution_m", dataset.resolution_m},
      {"preparation", dataset.preparation.empty() ? "scan: as it is; map: as it is" : dataset.preparation},
      {"truth_quality", or_null(dataset.truth.quality)},
      {"truth_exact", dataset.truth.exact},
      {"truth_accuracy_m", dataset.truth.accuracy_m},
      {"success_translation_m", dataset.truth.success_translation_m},
      {"success_rotation_deg", dataset.truth.success_rotation_deg},
      {"licence", or_null(dataset.licence)},
      {"source", or_null(dataset.source)},
      {"fingerprint", fingerprint.text()},
      {"picture", write_picture(folder, dataset, picture)}};
}

/// The budget that an alignment promises to stay within; null if it promises nothing, or is not on a device.
json budget_json(const Implementation& entry) {
  if (!entry.on_device) return nullptr;
  const auto promised = [](int most) { return most == Budget::kNotPromised ? json() : json(most); };
  const Budget& b = entry.budget;
  return {{"launches", promised(b.launches)},
          {"waits", promised(b.waits)},
          {"bytes_per_iteration", promised(b.bytes_per_iteration)},
          {"bytes_per_round", promised(b.bytes_per_round)},
          {"final_download_bytes", promised(b.final_download_bytes)},
          {"allocations", promised(b.allocations)}};
}

json implementation_json(const Implementation& entry) {
  return {{"name", entry.name},
          {"runs_on", entry.runs_on},
          {"schedule", entry.schedule},
          {"note", entry.note},
          {"stop_rule", entry.stop_rule},
          {"peer", entry.peer},
          {"own", is_users_own(entry)},
          {"oracle", entry.name == kReference},
          {"budget", budget_json(entry)},
          {"one_thread", entry.one_thread},
          {"available", entry.unavailable_reason().empty()},
          {"reason", or_null(entry.unavailable_reason())}};
}

/// All of the registry, but of those that are not for use the plan's, and the peers of the plan.
json implementations_json(const Plan& plan) {
  json all = json::array();
  std::set<std::string, std::less<>> planned;
  for (const Job& job : plan.jobs) planned.insert(job.implementation);
  for (const Implementation& entry : implementations())
    if (!entry.not_for_use || planned.contains(entry.name)) all.push_back(implementation_json(entry));
  for (const std::string& name : planned)
    if (is_peer_name(name)) all.push_back(implementation_json(find_implementation(name)));
  return all;
}

}  // namespace

void write_run_metadata(const RunFolder& folder, const ReportProgress& report) {
  std::map<std::string, std::vector<std::size_t>> frames;  // by dataset, each once
  for (const Job& job : folder.plan().jobs) {
    std::vector<std::size_t>& of = frames[job.dataset];
    for (const std::size_t frame : job.frames)
      if (std::ranges::find(of, frame) == of.end()) of.push_back(frame);
  }
  make_subfolder(folder.path() / "clouds");
  const RecordedDatasets recorded(folder);
  json datasets = json::array();
  for (const std::string& name : folder.plan().datasets) {
    if (!frames.contains(name)) continue;  // no implementation offers the options
    std::ranges::sort(frames[name]);
    datasets.push_back(dataset_json(folder.path(), load_dataset(name, report), frames[name], recorded));
  }
  constexpr auto kReplace = json::error_handler_t::replace;
  write_text(folder.path() / kDatasets, datasets.dump(1, ' ', false, kReplace));
  write_text(folder.path() / "columns.json", columns_json());
  write_text(folder.path() / "implementations.json",
             implementations_json(folder.plan()).dump(1, ' ', false, kReplace));
}

}  // namespace ndt::harness
