// The measurements of a job with all that is known before they are measured, made one by one by position.
#pragma once

#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "run/guess_grids.hpp"
#include "run/job.hpp"
#include "run/measurement.hpp"

namespace ndt::harness {

/// Job and dataset must outlive it. Throws InputError for a frame that the dataset does not have.
class JobMeasurements {
 public:
  JobMeasurements(const std::string& run_id, const Job& job, const Dataset& dataset);

  /// Counts those of a frame: every guess with every batch.
  std::size_t of_frame(std::size_t frame) const;
  /// Returns number k of a frame, below of_frame(frame).
  Measurement at(std::size_t frame, std::size_t k) const;

 private:
  const Frame& frame_of(std::size_t frame) const;
  std::size_t guesses(const Frame& frame) const;
  NamedGuess guess(const Frame& frame, std::size_t index, std::size_t k) const;
  NamedGuess around_truth(const Transform& truth, std::size_t index, std::size_t k) const;

  const Job& job_;
  const Dataset& dataset_;
  GuessGrids grids_;
  Measurement common_;  ///< what all of them share
};

/// The measurements of a job with all that is known before they are measured, in the order they are.
std::vector<Measurement> planned_measurements(const std::string& run_id, const Job& job,
                                              const Dataset& dataset);

}  // namespace ndt::harness
