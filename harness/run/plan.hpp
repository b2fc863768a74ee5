// A run before it runs: every measurement, grouped into jobs. One job is one process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "registry/registry.hpp"
#include "run/job.hpp"
#include "run/measurement.hpp"
#include "run/presets.hpp"

namespace ndt::harness {

/// The choices that a command line makes instead of the preset.
struct Selection {
  std::vector<std::string> datasets;         ///< of every study; empty = the preset's that are available
  std::vector<std::string> implementations;  ///< empty = all that are available
  std::vector<int> threads;                  ///< empty = the studies'
  std::optional<int> samples;
  std::optional<double> load_s{};
  AlignArguments options;  ///< base of every variant
};

struct LeftOut {
  std::string what, why;
};

/// The cost of a plan, known when it is made.
struct PlanCost {
  std::size_t measurements = 0;
  std::size_t alignments = 0;  ///< of which each measurement makes as many as it has poses or particles
  double sampling_s = 0;       ///< most time for repeating them

  void add(const Job& job, const Measurement& measurement, const TimingRule& timing_of_plan);
};

/// The part that one process takes of a run that several share (plan_parts.hpp).
struct Shard {
  std::vector<int> parts;  ///< numbers from 1: one, or several that were merged
  int of = 1;
  std::vector<int> jobs;  ///< of the plan, ascending
};

struct Plan {
  std::string run_id, preset, description;
  std::uint64_t seed = 1;
  TimingRule timing;
  JobLimits limits;
  std::vector<std::string> datasets;  ///< in the preset's order
  std::vector<Job> jobs;              ///< in the order they run
  std::vector<LeftOut>
      left_out;  ///< implementations that cannot run, options that one does not offer, missing datasets
  std::optional<Shard> shard;  ///< nothing = all jobs
  PlanCost cost;               ///< of one that was made; plan.json does not hold it
};

/// Throws UsageError for unknown names and options, InputError for a dataset asked for by name that is not
/// available, if nothing is left to do, or for more than Limits allow. `report` is called while a missing
/// dataset is generated.
Plan make_plan(const Preset& preset, const Selection& selection, const std::string& run_id,
               const ReportProgress& report = {});

/// At most `most` of n frames, evenly spread, the first among them.
std::vector<std::size_t> spread_frames(std::size_t n, std::optional<int> most);

std::string plan_json(const Plan& plan);
/// Throws InputError unless it is a plan_json.
Plan read_plan(const std::filesystem::path& file);

}  // namespace ndt::harness
