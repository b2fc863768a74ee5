#include "run/plan_blocks.hpp"

#include <algorithm>

namespace ndt::harness {

std::vector<Job> jobs_of(const Job& common, const std::vector<PlannedFrame>& frames, std::size_t block) {
  std::vector<Job> jobs;
  for (const PlannedFrame& planned : frames)
    for (std::size_t k = 0; k < planned.is_new.size(); ++k) {
      if (jobs.empty() || jobs.back().measurement_count == block) {
        jobs.push_back(common);
        jobs.back().first_measurement = k;
      }
      Job& job = jobs.back();
      if (job.frames.empty() || job.frames.back() != planned.frame) job.frames.push_back(planned.frame);
      ++job.measurement_count;
      if (!planned.is_new[k]) job.shared_count = job.shared_count.value_or(0) + 1;
    }
  return jobs;
}

std::size_t block_for_intervals(const std::vector<PlannedFrame>& frames, std::size_t most) {
  std::size_t measurements = 0;
  for (const PlannedFrame& planned : frames) measurements += planned.is_new.size();
  return std::clamp<std::size_t>(measurements / kLeastProcesses, 1, most);
}

std::size_t missing_frames(std::size_t frames, std::size_t measurements) {
  if (frames == 0 || measurements >= kLeastProcesses) return 0;
  const std::size_t of_each = std::max<std::size_t>(measurements / frames, 1);
  return (kLeastProcesses + of_each - 1) / of_each - frames;
}

}  // namespace ndt::harness
