// Any bytes as a preset.
#include "fuzzing.hpp"
#include "run/presets.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  static fuzz::MemoryFile file;
  file.with(data, size);
  const auto preset = fuzz::read_or_refuse([] { return harness::find_preset(file.path().string()); });
  if (preset) fuzz::require(!preset->studies.empty(), "a preset without a study");
  return 0;
}
