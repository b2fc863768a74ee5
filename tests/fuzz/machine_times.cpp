// Any text as the times that are kept of a machine: what is accepted can be written and comes back the same.
#include "ndt/machine_times.hpp"

#include "fuzzing.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  const auto all = fuzz::read_or_refuse([&] { return machine_times_from_json(fuzz::text(data, size)); });
  if (!all) return 0;
  const MachineTimes back = machine_times_from_json(to_json(*all));
  fuzz::require(back.machine == all->machine && back.times == all->times, "times do not come back");
  return 0;
}
