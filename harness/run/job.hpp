// A job of a run: one aligner with one map and a block of a dataset's measurements. One job is one process.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "ndt/align/align_options.hpp"
#include "run/call_setting.hpp"
#include "run/presets.hpp"

namespace ndt::harness {

/// One aligner with one map, and a block of a dataset's measurements: frames with every guess of each and
/// every batch around it, cut to a range.
struct Job : CallSetting {
  int index = 0;
  std::string dataset, implementation;
  Variant variant;
  int threads = 1;
  bool timed = true, trace = false;
  std::optional<bool> second_look;  ///< nothing, as in older plans: no
  std::vector<std::size_t> frames;  ///< indices into the dataset
  std::vector<GuessGrid> grids;
  std::vector<GuessScatter> scatters;
  std::vector<int> poses = {1};  ///< every guess with each of these: the poses of its batch, 1 = an alignment
  std::optional<SearchSpec> search;                          ///< instead of alignments
  std::optional<TimingRule> timing;                          ///< instead of the plan's
  std::size_t first_measurement = 0, measurement_count = 0;  ///< of all measurements of these frames
  std::optional<std::size_t> shared_count;                   ///< of them, if any, that another job has too
};

/// Options that the job's aligner is made with.
AlignOptions job_options(const Job& job, const Dataset& dataset);

}  // namespace ndt::harness
