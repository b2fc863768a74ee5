// Any bytes as plan.json, and what it plans on a dataset that has other frames and guesses than it may name.
#include "data/load_dataset.hpp"
#include "fuzzing.hpp"
#include "run/job_measurements.hpp"
#include "run/plan.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  static fuzz::MemoryFile file;
  static const harness::Dataset dataset = harness::load_dataset("courtyard_200");
  file.with(data, size);
  const auto plan = fuzz::read_file_or_refuse([] { return harness::read_plan(file.path()); });
  if (!plan) return 0;
  for (const harness::Job& job : plan->jobs) {
    const auto planned =
        fuzz::read_or_refuse([&] { return harness::planned_measurements(plan->run_id, job, dataset); });
    if (planned)
      fuzz::require(planned->size() == job.measurement_count,
                    "a job has more or fewer measurements than it says");
  }
  return 0;
}
