#include "run/plan_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/limits.hpp"
#include "run/guess_grids.hpp"

namespace ndt::harness {
namespace {

// The most that a job, and a number in it, take in plan.json.
constexpr double kJobBytes = 1000, kNumberBytes = 32;

/// Products are doubles, because those of hostile lists do not fit into integers.
double guesses_of(const Study& study, const Dataset& dataset) {
  double guesses = 0;
  for (const GuessGrid& grid : study.grids) guesses += combinations(grid);
  for (const GuessScatter& scatter : study.scatters) guesses += scatter.guesses;
  for (const Frame& frame : dataset.frames)
    if (study.grids.empty() && study.scatters.empty())
      guesses = std::max(guesses, static_cast<double>(frame.guesses.size()));
  return guesses;
}

double numbers_of(const Study& study) {
  std::size_t numbers = study.poses.size() + 5 * study.scatters.size();
  for (const GuessGrid& grid : study.grids)
    numbers += grid.x_m.size() + grid.y_m.size() + grid.z_m.size() + grid.yaw_deg.size();
  return static_cast<double>(numbers);
}

}  // namespace

void PlanBudget::take(const std::string& preset, const Study& study, const Dataset& dataset,
                      const std::vector<const Implementation*>& implementations,
                      const std::vector<int>& threads) {
  const auto runs_of = [&](const Implementation& entry) {
    return entry.one_thread ? 1.0 : static_cast<double>(threads.size());
  };
  const double all = static_cast<double>(dataset.frames.size());
  const double frames = study.frames ? std::min<double>(*study.frames, all) : all;
  double measurements = 0, jobs = 0;
  const auto add = [&](double guesses, double runs) {
    const double aligners = static_cast<double>(study.variants.size()) * runs;
    const double each = frames * guesses * static_cast<double>(study.poses.size());
    const double blocks = std::ceil(each / study.measurements_per_job);
    measurements += each * aligners;
    jobs += blocks * aligners;
    // Two blocks may share a frame, so that there are at most as many more of them as blocks.
    bytes_ +=
        aligners * (blocks * (kJobBytes + kNumberBytes * (1 + numbers_of(study))) + kNumberBytes * frames);
  };
  for (const Implementation* entry : implementations) {
    if (study.searches.empty())
      add(guesses_of(study, dataset), runs_of(*entry) * static_cast<double>(study.calls.size()));
    for (const SearchSpec& search : study.searches)
      if (search.is_for(*entry)) add(search.seeds, runs_of(*entry));
  }
  measurements_ += measurements;
  if (measurements_ > static_cast<double>(Limits::kMeasurements))
    throw InputError(
        fmt::format("preset {}: a study on {} plans {:.0f} measurements, which makes {:.0f} so far, the "
                    "limit of a run is {}; "
                    "shorten its lists of guesses, seeds, poses, threads, variants or datasets",
                    printable(preset), dataset.name, measurements, measurements_, Limits::kMeasurements));
  if (bytes_ > static_cast<double>(Limits::kPlanBytes))
    throw InputError(
        fmt::format("preset {}: a study on {} plans {:.0f} jobs, for which plan.json may take {:.0f} bytes, "
                    "the limit is {}; "
                    "raise its measurements_per_job or shorten its lists",
                    printable(preset), dataset.name, jobs, bytes_, Limits::kPlanBytes));
}

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
