#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "base/output_file.hpp"
#include "data/load_dataset.hpp"
#include "data/preparation.hpp"
#include "io/cloud_file.hpp"
#include "run/run_folder.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

/// FNV-1a over the bytes of clouds: tells whether two runs saw the same data, not whether anyone meant harm.
class Fingerprint {
 public:
  void add(const PointCloud& cloud) {
    for (const double origin : {cloud.origin.x, cloud.origin.y, cloud.origin.z}) add(origin);
    for (const Point& p : cloud.points)
      for (const float value : {p.x, p.y, p.z}) add(value);
  }
  std::string text() const { return fmt::format("fnv1a64:{:016x}", hash_); }

 private:
  template <class T>
  void add(T value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001b3ULL;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

json or_null(const std::string& text) { return text.empty() ? json() : json(text); }

/// Map points near the pose and the scan, few enough for a picture.
json write_picture(const std::filesystem::path& folder, const Dataset& dataset, std::size_t frame,
                   const PointCloud& map_cloud, const PointCloud& scan_cloud) {
  constexpr std::int64_t kMapPoints = 40000, kScanPoints = 4000;
  constexpr double kAroundM = 60;
  const Frame& shown = dataset.frames[frame];
  const Vec3<double> at = translation_of(shown.truth ? *shown.truth : shown.guesses.at(0).map_from_scan);
  ScanPreparation near;
  near.crop_box = CropBox{{at.x - kAroundM, at.y - kAroundM, -1e6}, {at.x + kAroundM, at.y + kAroundM, 1e6}};
  near.sample_points = kMapPoints;
  ScanPreparation thin;
  thin.sample_points = kScanPoints;
  const std::string map = fmt::format("clouds/{}_map.pcd", dataset.name);
  const std::string scan = fmt::format("clouds/{}_scan.pcd", dataset.name);
  write_pcd(folder / map, prepare(map_cloud, near).cloud);
  write_pcd(folder / scan, prepare(scan_cloud, thin).cloud);
  return {{"frame", shown.name}, {"map", map}, {"scan", scan}};
}

json dataset_json(const std::filesystem::path& folder, const Dataset& dataset,
                  const std::vector<std::size_t>& frames) {
  Fingerprint fingerprint;
  PointCloud map;
  json picture;
  for (const std::size_t frame : frames) {
    if (!dataset.one_map || frame == frames.front()) {
      map = dataset.map(frame);
      fingerprint.add(map);
    }
    const PointCloud scan = dataset.scan(frame);
    fingerprint.add(scan);
    // However few frames a study takes, the first is among them: what it found is drawn on this map.
    if (frame == frames.front()) picture = write_picture(folder, dataset, frame, map, scan);
  }
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
      {"picture", std::move(picture)}};
}

/// What an alignment promises to stay within; null where it promises nothing, or is not on a device.
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

json implementations_json() {
  json all = json::array();
  for (const Implementation& entry : implementations())
    all.push_back({{"name", entry.name},
                   {"runs_on", entry.runs_on},
                   {"schedule", entry.schedule},
                   {"note", entry.note},
                   {"stop_rule", entry.stop_rule},
                   {"peer", entry.peer},
                   {"oracle", entry.name == kReference},
                   {"budget", budget_json(entry)},
                   {"one_thread", entry.one_thread},
                   {"available", entry.unavailable_reason().empty()},
                   {"reason", or_null(entry.unavailable_reason())}});
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
  make_folder(folder.path() / "clouds");
  json datasets = json::array();
  for (const std::string& name : folder.plan().datasets) {
    if (!frames.contains(name)) continue;  // no implementation offers the options
    std::ranges::sort(frames[name]);
    datasets.push_back(dataset_json(folder.path(), load_dataset(name, report), frames[name]));
  }
  constexpr auto kReplace = json::error_handler_t::replace;
  write_text(folder.path() / "datasets.json", datasets.dump(1, ' ', false, kReplace));
  write_text(folder.path() / "columns.json", columns_json());
  write_text(folder.path() / "implementations.json", implementations_json().dump(1, ' ', false, kReplace));
}

}  // namespace ndt::harness
