// Any bytes as a dataset.toml. Of the files that it may name some exist, and their clouds can be read.
#include "data/sources.hpp"
#include "fuzzing.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/trajectory.hpp"
#include "temporary_folder.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  static fuzz::MemoryFile file;
  static const harness::TemporaryFolder folder;
  static const bool prepared = [] {
    const PointCloud cloud{{}, {{1, 2, 3}, {4, 5, 6}}};
    for (const char* name : {"map.pcd", "a.pcd", "b.pcd"}) harness::write_pcd(folder.path() / name, cloud);
    const harness::StampedTransform poses[] = {{1, {}}, {2, to_transform(Pose{1, 0, 0, 0, 0, 0.1})}};
    harness::write_tum(folder.path() / "poses.tum", poses);
    return true;
  }();
  fuzz::require(prepared, "cannot prepare the folder");
  file.with(data, size);
  const auto dataset = fuzz::read_or_refuse([] { return harness::read_dataset(file.path(), folder.path()); });
  if (!dataset) return 0;
  fuzz::require(!dataset->frames.empty(), "a dataset without frames");
  for (std::size_t k = 0; k < dataset->frames.size(); ++k) {
    fuzz::require(!dataset->frames[k].guesses.empty(), "a frame without a guess");
    fuzz::read_or_refuse([&] { return dataset->map(k); });
    fuzz::read_or_refuse([&] { return dataset->scan(k); });
  }
  return 0;
}
