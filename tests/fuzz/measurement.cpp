// Any text as a line of results.jsonl: what is accepted can be written, and comes back the same.
#include "run/measurement.hpp"

#include "fuzzing.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  const auto measurement =
      fuzz::read_or_refuse([&] { return harness::parse_measurement(fuzz::text(data, size)); });
  if (!measurement) return 0;
  const std::string line = harness::to_json_line(*measurement);
  fuzz::require(harness::to_json_line(harness::parse_measurement(line)) == line,
                "a measurement does not come back");
  return 0;
}
