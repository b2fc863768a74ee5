// How the measurements of a study are shared out to jobs, each a process.
#pragma once

#include <cstddef>
#include <vector>

#include "run/job.hpp"

namespace ndt::harness {

/// A frame of a job and, of each of its measurements, whether no other job has it.
struct PlannedFrame {
  std::size_t frame = 0;  ///< of the dataset
  std::vector<bool> is_new;
};

/// Intervals resample processes, and those of fewer say next to nothing.
inline constexpr std::size_t kLeastProcesses = 4;

/// Returns jobs of at most `block` measurements, which are `common` in all else.
std::vector<Job> jobs_of(const Job& common, const std::vector<PlannedFrame>& frames, std::size_t block);

/// Returns `most`, or fewer, so that there are kLeastProcesses if there are as many measurements.
std::size_t block_for_intervals(const std::vector<PlannedFrame>& frames, std::size_t most);

/// Returns how many frames more it takes for kLeastProcesses measurements.
std::size_t missing_frames(std::size_t frames, std::size_t measurements);

}  // namespace ndt::harness
