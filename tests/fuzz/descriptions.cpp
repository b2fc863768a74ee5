// Any bytes as a description that the harness reads: datasets, presets, plans and rows.
#include "base/io_names.hpp"
#include "data/load_dataset.hpp"
#include "data/sources.hpp"
#include "fuzzing.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/trajectory.hpp"
#include "run/job_measurements.hpp"
#include "run/measurement.hpp"
#include "run/plan.hpp"
#include "run/presets.hpp"
#include "temporary_folder.hpp"

namespace ndt::fuzz {

/// A dataset.toml. Some of the files that it may name exist, and their clouds can be read.
void dataset_toml(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  static const harness::TemporaryFolder folder;
  static const bool prepared = [] {
    const PointCloud cloud{{}, {{1, 2, 3}, {4, 5, 6}}};
    for (const char* name : {"map.pcd", "a.pcd", "b.pcd"}) harness::write_pcd(folder.path() / name, cloud);
    const harness::StampedTransform poses[] = {{1, {}}, {2, to_transform(Pose{1, 0, 0, 0, 0, 0.1})}};
    harness::write_tum(folder.path() / "poses.tum", poses);
    return true;
  }();
  require(prepared, "cannot prepare the folder");
  file.with(data, size);
  const auto dataset = read_or_refuse([] { return harness::read_dataset(file.path(), folder.path()); });
  if (!dataset) return;
  require(!dataset->frames.empty(), "a dataset without frames");
  for (std::size_t k = 0; k < dataset->frames.size(); ++k) {
    require(!dataset->frames[k].guesses.empty(), "a frame without a guess");
    read_or_refuse([&] { return dataset->map(k); });
    read_or_refuse([&] { return dataset->scan(k); });
  }
}

/// A preset.
void preset_toml(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  file.with(data, size);
  const auto preset = read_or_refuse([] { return harness::find_preset(file.path().string()); });
  if (preset) require(!preset->studies.empty(), "a preset without a study");
}

/// A plan.json, and what it plans on a dataset that has other frames and guesses than it may name.
void plan_json(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  static const harness::Dataset dataset = harness::load_dataset("courtyard_200");
  file.with(data, size);
  const auto plan = read_file_or_refuse([] { return harness::read_plan(file.path()); });
  if (!plan) return;
  for (const harness::Job& job : plan->jobs) {
    const auto planned =
        read_or_refuse([&] { return harness::planned_measurements(plan->run_id, job, dataset); });
    if (planned)
      require(planned->size() == job.measurement_count, "a job has more or fewer measurements than it says");
  }
}

/// A line of results.jsonl: what is accepted can be written, and comes back the same.
void measurement(const std::uint8_t* data, std::size_t size) {
  const auto measurement = read_or_refuse([&] { return harness::parse_measurement(text(data, size)); });
  if (!measurement) return;
  const std::string line = harness::to_json_line(*measurement);
  require(harness::to_json_line(harness::parse_measurement(line)) == line,
          "a measurement does not come back");
}

}  // namespace ndt::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ndt::fuzz::NDT_FUZZ_READER(data, size);
  return 0;
}
