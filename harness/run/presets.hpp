// Named benchmarks: what `ndt-bench run` does unless told otherwise. One TOML file each in harness/presets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/align_arguments.hpp"
#include "registry/search_arguments.hpp"

namespace ndt::harness {

/// When a measurement has enough samples: at least so many whose inter-quartile range is at most `spread` of their median, or
/// as many as fit into the cap.
struct TimingRule {
  int samples = 30;
  double spread = 0.05;
  double cap_s = 0.5;
  int idle_samples = 3;  ///< of these, each after the threads have gone to sleep
};

/// Past these the process is ended, and the measurement is a row with this reason.
struct JobLimits {
  double measurement_s = 60;  ///< also for building the map
  std::int64_t memory_mib = 6144;
  /// A batch that would take longer, by the time of a small one, is not begun: its row says that it was skipped.
  std::optional<double> call_s;
};

/// One setting of the registration's options.
struct Variant {
  std::string name = "autoware";
  AlignArguments options;
  bool regularised_at_truth = false;  ///< the regularisation's target is the scan's true position
};

/// Guesses at every combination of offsets from the truth, in its frame.
struct GuessGrid {
  std::vector<double> x_m = {0}, y_m = {0}, z_m = {0}, yaw_deg = {0};
};

/// A way to search for the initial pose, from priors around the truth: each seed is another prior and another search.
struct SearchSpec {
  std::string name;
  SearchArguments arguments;                 ///< but for the seed
  std::vector<std::string> implementations;  ///< that it is for
  int seeds = 20;
  double sigma[5] = {1, 1, 0.1, 0.01, 0.01};  ///< x y z [m], roll pitch [rad]
};

/// Every dataset with every variant, thread count and implementation.
struct Study {
  std::vector<std::string> datasets;
  std::optional<int> frames;  ///< at most so many of each dataset, evenly spread
  std::vector<int> threads;   ///< 0 = one per core
  std::vector<Variant> variants;
  std::vector<GuessGrid> grids;       ///< instead of the dataset's own guesses
  std::vector<int> poses = {1};       ///< of a batch that starts from around each guess; 1 = an alignment
  std::vector<SearchSpec> searches;  ///< instead of alignments
  std::optional<TimingRule> timing;   ///< instead of the preset's
  bool timed = true;                  ///< else every alignment runs once
  bool trace = false;
  int measurements_per_job = 8;
};

struct Preset {
  std::string name, description;
  std::uint64_t seed = 1;  ///< of the order of jobs
  TimingRule timing;
  JobLimits limits;
  std::vector<Study> studies;
};

/// Those of the project, by name. Throws InputError if one cannot be read.
std::vector<Preset> presets();

/// A name, or the path of a preset's TOML file. Throws UsageError that lists the names, InputError naming file, line and key.
Preset find_preset(const std::string& name);

}  // namespace ndt::harness
