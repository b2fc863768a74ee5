// The rows of a run condensed to one line per (dataset, threads, implementation): medians and percentiles with their count.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ndt/harness/record.hpp"

namespace ndt::harness {

struct SummaryLine {
  std::string dataset, implementation;
  std::int64_t points = 0, voxels = 0;
  int threads = 0;
  int samples = 0;  ///< alignments measured; 0 = the job failed at once
  double converged_share = 0;
  double iterations_median = 0;
  double p50_us = 0, p90_us = 0;                   ///< of one alignment, threads awake
  double after_idle_p50_us = 0;                    ///< of one alignment, threads asleep before
  double ns_per_point_evaluation = 0;              ///< median of time / (evaluations x points)
  std::optional<double> speed_ratio;               ///< the reference's ns_per_point_evaluation over this one's
  std::optional<PoseDifference> max_to_reference;  ///< largest over the guesses, each of both by itself
  double build_us = 0;
  std::string error;  ///< why the job failed
};

/// In order of first appearance.
std::vector<SummaryLine> summarise(std::span<const RunRow> rows);

/// The table for a terminal.
std::string summary_table(std::span<const SummaryLine> lines);

}  // namespace ndt::harness
