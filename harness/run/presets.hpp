// Named benchmarks: what `ndt-bench run` does unless told otherwise. One TOML file each in harness/presets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ndt/align/option.hpp"
#include "registry/align_arguments.hpp"
#include "registry/search_arguments.hpp"
#include "registry/search_prior.hpp"
#include "run/call_setting.hpp"

namespace ndt::harness {

inline constexpr std::int64_t kCountMost = 1000000;
inline constexpr double kOffsetMost = 1000;
inline constexpr int kPosesMost = 100000;

/// When a measurement has enough samples: at least so many whose inter-quartile range is at most `spread` of
/// their median, or as many as fit into the cap.
struct TimingRule {
  int samples = 30;
  double spread = 0.05;
  double cap_s = 0.5;
  int idle_samples = 3;
  std::optional<double> load_s{};
  friend bool operator==(const TimingRule&, const TimingRule&) = default;
};
inline constexpr std::tuple kTimingRule{
    Option{"samples", &TimingRule::samples, Bounds::closed(1, kCountMost), "", "samples at least"},
    Option{"spread", &TimingRule::spread, Bounds::closed(0, 10), "",
           "inter-quartile range over the median at most"},
    Option{"cap_s", &TimingRule::cap_s, Bounds::closed(0, 3600), "s", "time at most"},
    Option{"idle_samples", &TimingRule::idle_samples, Bounds::closed(0, 1000), "",
           "further samples, each after the threads have gone to sleep"},
    Option{"load_s", &TimingRule::load_s, Bounds::closed(0, 600), "s",
           "time of further alignments, for the use of CPU and GPU and their energy; 0 and nothing: none"}};

/// Past these the process is ended, and the measurement has this reason in place of a result.
struct JobLimits {
  double measurement_s = 60;
  std::int64_t memory_mib = 6144;
  std::optional<double> call_s;
};
inline constexpr std::tuple kJobLimits{
    Option{"measurement_s", &JobLimits::measurement_s, Bounds::closed(0.1, 86400), "s",
           "time of a measurement, also for building the map"},
    Option{"memory_mib", &JobLimits::memory_mib, Bounds::closed(64, 1 << 24), "MiB", "resident memory"},
    Option{"call_s", &JobLimits::call_s, Bounds::closed(0.001, 86400), "s",
           "time of a batch: one that would take longer, by the time of a small one, is skipped"}};

/// One setting of the registration's options.
struct Variant {
  std::string name = "autoware";
  AlignArguments options;
  bool regularised_at_truth = false;  ///< the regularisation's target is the scan's true position
  friend bool operator==(const Variant&, const Variant&) = default;
};

/// Guesses at every combination of offsets from the truth, in its frame.
struct GuessGrid {
  std::vector<double> x_m = {0}, y_m = {0}, z_m = {0}, yaw_deg = {0};
};
inline constexpr std::tuple kGuessGrid{
    Option{"x_m", &GuessGrid::x_m, Bounds::closed(-kOffsetMost, kOffsetMost), "m", "ahead"},
    Option{"y_m", &GuessGrid::y_m, Bounds::closed(-kOffsetMost, kOffsetMost), "m", "to the left"},
    Option{"z_m", &GuessGrid::z_m, Bounds::closed(-kOffsetMost, kOffsetMost), "m", "up"},
    Option{"yaw_deg", &GuessGrid::yaw_deg, Bounds::closed(-180, 180), "deg", "turned to the left"}};

/// Guesses drawn around the truth, near Gaussian in each coordinate; the same for every variant.
struct GuessScatter {
  int guesses = 10;
  double xy_m = 0.3, z_m = 0.05, roll_pitch_deg = 0.5, yaw_deg = 2;
};
inline constexpr std::tuple kGuessScatter{
    Option{"guesses", &GuessScatter::guesses, Bounds::closed(1, kCountMost), "", "of each frame"},
    Option{"xy_m", &GuessScatter::xy_m, Bounds::closed(0, kOffsetMost), "m", "standard deviation of x and y"},
    Option{"z_m", &GuessScatter::z_m, Bounds::closed(0, kOffsetMost), "m", "standard deviation of z"},
    Option{"roll_pitch_deg", &GuessScatter::roll_pitch_deg, Bounds::closed(0, 180), "deg",
           "standard deviation of roll and pitch"},
    Option{"yaw_deg", &GuessScatter::yaw_deg, Bounds::closed(0, 180), "deg", "standard deviation of yaw"}};

/// A way to search for the initial pose, from priors around the truth: each seed is another prior and another
/// search.
struct SearchSpec {
  std::string name;
  SearchArguments arguments;                 ///< but for the seed
  std::vector<std::string> implementations;  ///< that it is for; kAnyPeer: all peers that are asked for
  int seeds = 20;
  PriorKind prior = PriorKind::pose;          ///< or the whole map, for method anywhere
  double sigma[5] = {1, 1, 0.1, 0.01, 0.01};  ///< x y z [m], 0 with prior map; roll pitch [rad]
  bool is_for(const Implementation& entry) const;
};

/// Every dataset with every variant, thread count and implementation.
struct Study {
  std::vector<std::string> datasets;
  std::vector<std::string> recordings;  ///< those of `datasets` that a machine may not know
  std::vector<std::string> densities;   ///< of the scans; empty = the datasets' own, which a preset calls own
  std::vector<std::string> only;        ///< of the registry's implementations; empty = all
  std::vector<std::string> also;        ///< peers, and implementations that are not for use, that take part
  std::optional<int> frames;            ///< at most so many of each dataset, evenly spread
  std::vector<int> threads;             ///< 0 = one per core
  std::vector<Variant> variants;
  std::vector<GuessGrid> grids;  ///< these two instead of the dataset's own guesses
  std::vector<GuessScatter> scatters;
  std::vector<int> poses = {1};           ///< of a batch that starts from around each guess; 1 = an alignment
  std::vector<SearchSpec> searches;       ///< instead of alignments
  std::vector<CallSetting> calls = {{}};  ///< the usual one, and others beside it
  std::optional<TimingRule> timing;       ///< instead of the preset's
  bool timed = true;                      ///< else every alignment runs once
  bool trace = false;
  bool second_look = false;  ///< answers are judged by what is around them, too, outside the timing
  int measurements_per_job = 8;
};

struct Preset {
  std::string name, description;
  std::uint64_t seed = 1;  ///< of the order of jobs
  TimingRule timing;
  JobLimits limits;
  std::vector<Study> studies;
};

/// The presets of the project, by name. Throws InputError if one cannot be read.
std::vector<Preset> presets();

/// A name, or the path of a preset's TOML file. Throws UsageError that lists the names, InputError naming
/// file, line and key.
Preset find_preset(const std::string& name);

}  // namespace ndt::harness
