// Any bytes as alignments.json of NDT_GOLDEN_DIR. The clouds that it may name do not exist.
#include "data/sources.hpp"
#include "fuzzing.hpp"
#include "temporary_folder.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  static fuzz::MemoryFile file;
  static const harness::TemporaryFolder folder;
  static const bool prepared = [] {
    std::filesystem::create_symlink(file.path(), folder.path() / "alignments.json");
    std::filesystem::create_symlink("/dev/null", folder.path() / "cloud.pcd");  // exists, and is refused
    return ::setenv("NDT_GOLDEN_DIR", folder.path().c_str(), 1) == 0;
  }();
  fuzz::require(prepared, "cannot set NDT_GOLDEN_DIR");
  file.with(data, size);
  const auto datasets = fuzz::read_or_refuse([] { return harness::list_golden_datasets(); });
  fuzz::require(datasets.has_value(), "a list of datasets is an answer, not an error");
  for (const harness::DatasetInfo& info : *datasets) {
    fuzz::require_readable(info.description + info.unavailable_reason);
    if (!info.unavailable_reason.empty()) continue;
    fuzz::read_or_refuse([&] { return harness::load_golden_dataset(info.name); });
  }
  return 0;
}
