// The jobs of a study, each a process: how many a preset may plan, and how they share out its measurements.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "registry/registry.hpp"
#include "run/job.hpp"
#include "run/presets.hpp"

namespace ndt::harness {

/// Counts from the lengths of a preset's lists before any of it is made.
class PlanBudget {
 public:
  /// Adds a study on a dataset with these thread counts. Throws InputError that says which lists are too
  /// long: all studies so far may have Limits::kMeasurements, and a plan.json of Limits::kPlanBytes.
  void take(const std::string& preset, const Study& study, const Dataset& dataset,
            const std::vector<const Implementation*>& implementations, const std::vector<int>& threads);

 private:
  double measurements_ = 0, bytes_ = 0;
};

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
