#include "run/job_measurements.hpp"

#include <fmt/format.h>

#include "base/random.hpp"
#include "data/density.hpp"
#include "ndt/core/error.hpp"
#include "registry/align_arguments.hpp"
#include "run/guesses.hpp"

namespace ndt::harness {
namespace {

constexpr const char* kChanged = "the dataset has changed, begin a new run";

NamedGuess scattered(const Transform& truth, std::size_t frame, const GuessScatter& scatter, std::size_t k) {
  const GuessNoise noise{scatter.xy_m, scatter.z_m, scatter.roll_pitch_deg * kPi / 180,
                         scatter.yaw_deg * kPi / 180};
  return {fmt::format("xy{:g}_z{:g}_tilt{:g}_yaw{:g}_{}", scatter.xy_m, scatter.z_m, scatter.roll_pitch_deg,
                      scatter.yaw_deg, k),
          noisy_guess(truth, noise, frame, k), std::nullopt};
}

}  // namespace

AlignOptions job_options(const Job& job, const Dataset& dataset) {
  AlignArguments arguments = job.variant.options;
  arguments[&AlignOptions::threads] = job.threads;
  auto& resolution_m = arguments[&AlignOptions::resolution_m];
  if (!resolution_m) resolution_m = dataset.resolution_m;
  return resolve(arguments, job.search ? Guesses::of_a_search : Guesses::given);
}

JobMeasurements::JobMeasurements(const std::string& run_id, const Job& job, const Dataset& dataset)
    : job_(job), dataset_(dataset), grids_(job.grids) {
  if (job.search) common_.search = planned_search(*job.search, job.implementation);
  common_.run_id = run_id;
  common_.job = job.index;
  common_.implementation = job.implementation;
  common_.dataset = dataset.name;
  common_.density = density_of(dataset);
  common_.variant = job.variant.name;
  common_.threads = job.threads;
  static_cast<CallSetting&>(common_) = job;
  common_.resolution_m = job_options(job, dataset).resolution_m;
}

const Frame& JobMeasurements::frame_of(std::size_t frame) const {
  if (frame >= dataset_.frames.size())
    throw InputError(fmt::format("plan.json: job {} names frame {}, but {} has {} frames; {}", job_.index,
                                 frame, dataset_.name, dataset_.frames.size(), kChanged));
  const Frame& found = dataset_.frames[frame];
  if (job_.search && search_middle(dataset_, found) == nullptr)
    throw InputError(
        fmt::format("plan.json: job {} searches around the truth, which frame {} of {} lacks; {}", job_.index,
                    found.name, dataset_.name, kChanged));
  return found;
}

std::size_t JobMeasurements::guesses(const Frame& frame) const {
  if (job_.search) return static_cast<std::size_t>(job_.search->seeds);
  if (!frame.truth || (job_.grids.empty() && job_.scatters.empty())) return frame.guesses.size();
  std::size_t count = grids_.size();
  for (const GuessScatter& scatter : job_.scatters) count += static_cast<std::size_t>(scatter.guesses);
  return count;
}

std::size_t JobMeasurements::of_frame(std::size_t frame) const {
  return guesses(frame_of(frame)) * job_.poses.size();
}

NamedGuess JobMeasurements::around_truth(const Transform& truth, std::size_t index, std::size_t k) const {
  if (k < grids_.size()) {
    GuessGrids::Offset found = grids_.at(k);
    const GuessOffset& by = found.offset;
    return {std::move(found.name),
            truth * to_transform(Pose{by.x_m, by.y_m, by.z_m, 0, 0, by.yaw_deg * kPi / 180}), by};
  }
  k -= grids_.size();
  std::size_t scatter = 0;
  for (; k >= static_cast<std::size_t>(job_.scatters.at(scatter).guesses); ++scatter)
    k -= static_cast<std::size_t>(job_.scatters[scatter].guesses);
  return scattered(truth, index, job_.scatters[scatter], k);
}

NamedGuess JobMeasurements::guess(const Frame& frame, std::size_t index, std::size_t k) const {
  if (job_.search) return prior_guess(*search_middle(dataset_, frame), index, *job_.search, k);
  if (!frame.truth || (job_.grids.empty() && job_.scatters.empty())) return frame.guesses.at(k);
  return around_truth(*frame.truth, index, k);
}

Measurement JobMeasurements::at(std::size_t index, std::size_t k) const {
  const Frame& frame = frame_of(index);
  const std::size_t number = k / job_.poses.size();
  NamedGuess start = guess(frame, index, number);
  Measurement measurement = common_;
  if (measurement.search) measurement.search->seed = number;
  measurement.poses = job_.poses[k % job_.poses.size()];
  measurement.frame = frame.name;
  measurement.guess_name = std::move(start.name);
  measurement.guess = start.map_from_scan;
  measurement.guess_offset = start.offset;
  measurement.truth = frame.truth;
  return measurement;
}

std::vector<Measurement> planned_measurements(const std::string& run_id, const Job& job,
                                              const Dataset& dataset) {
  const JobMeasurements all(run_id, job, dataset);
  std::vector<Measurement> measurements;
  std::size_t skipped = 0;
  for (const std::size_t frame : job.frames) {
    const std::size_t count = all.of_frame(frame);
    for (std::size_t k = std::min(count, job.first_measurement - skipped);
         k < count && measurements.size() < job.measurement_count; ++k)
      measurements.push_back(all.at(frame, k));
    skipped = std::min(job.first_measurement, skipped + count);
  }
  if (measurements.size() < job.measurement_count)
    throw InputError(fmt::format("plan.json: job {} names measurements that {} does not have; {}", job.index,
                                 dataset.name, kChanged));
  return measurements;
}

}  // namespace ndt::harness
