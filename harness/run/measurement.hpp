// One measurement as one line of results.jsonl: everything that later evaluation needs, so that a new metric
// needs no new run. What a member means, its unit and when it is null is said once, in
// measurement_columns.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.hpp"
#include "data/dataset.hpp"
#include "ndt/align/align_result.hpp"
#include "ndt/core/counters.hpp"
#include "ndt/core/enum_names.hpp"
#include "run/call_setting.hpp"
#include "run/search_record.hpp"

namespace ndt::harness {

using ndt::to_string;

/// Why a measurement has no result.
enum class Failure {
  none,
  exception,  ///< the implementation said so
  crash,      ///< its process ended
  timeout,    ///< its process was ended after JobLimits::measurement_s
  memory,     ///< its process was ended past JobLimits::memory_mib
  skipped     ///< it was not begun, by JobLimits::call_s: nothing failed
};
constexpr auto enum_names(Failure) {
  return std::array{"none", "exception", "crash", "timeout", "memory", "skipped"};
}

/// The time that a peer from outside spends beside its alignments.
struct Aside {
  double prepare_us = 0, pipe_us = 0;
};

/// Times of a process's first calls on a device [us].
struct FirstCalls {
  double make_us = 0;     ///< of the aligner
  double align_us = 0;    ///< the first alignment, after the first map
  double rebuild_us = 0;  ///< the same map once more
};

/// The load of alignments that were repeated back to back. Energy is of one alignment.
struct Load {
  double cpu_percent = 0;  ///< 100: one core is busy
  std::optional<double> cpu_energy_mj;
  std::optional<double> gpu_percent, gpu_energy_mj, gpu_idle_w;
};

/// How far the samples of a measurement can be trusted.
enum class Timing {
  settled,   ///< the timing rule was met
  wall_cap,  ///< its cap came first
  single     ///< not a timing measurement: one alignment
};
constexpr auto enum_names(Timing) { return std::array{"settled", "wall_cap", "single"}; }

/// A measured alignment, batch or search. A batch and a search have sums of iterations and evaluations, and
/// the time of the call. All else is of the first pose, which starts from `guess`, or of the best particle.
struct Measurement : CallSetting {
  std::string run_id;
  int job = 0;
  std::string implementation, dataset, frame, guess_name, variant;
  std::string density;  ///< of the dataset's scans
  int threads = 0, poses = 1;
  double resolution_m = 0;
  Transform guess;
  std::optional<GuessOffset> guess_offset;
  std::optional<Transform> truth;
  std::optional<SearchRecord> search;

  // Void with an error. Counts may be kNotCounted, and scores NaN.
  std::int64_t points = 0, map_points = 0, voxels = 0;
  Transform pose;
  std::string stop, verdict;
  std::optional<double> matched, spread_m;  ///< of a second look
  int iterations = 0, evaluations = 0, oscillation_count = 0;
  int newton_fallbacks = 0;
  std::string solver;
  std::int64_t correspondences = 0;
  double score = 0, transform_probability = 0, nvtl = 0;
  std::optional<FinishStep> finish;
  double build_us = 0;
  std::optional<FirstCalls> first_calls;
  std::vector<double> align_us, align_after_idle_us;
  Timing timing = Timing::single;
  std::optional<Load> load;
  double calibration_us = 0;
  std::int64_t peak_rss_bytes = 0;
  std::optional<Aside> aside;
  std::optional<Traffic> traffic;  ///< but for its meetings
  std::optional<Meetings> meetings;
  std::optional<PoseDifference> to_truth;
  std::vector<TracePoint> trace;

  std::string error;  ///< empty without one
  Failure failure = Failure::none;

  bool failed() const { return !error.empty() && failure != Failure::skipped; }
};

/// The key that tells one measurement of a run from another.
std::string measurement_key(const Measurement& measurement);

/// One JSON object without line breaks; what was not measured is null.
std::string to_json_line(const Measurement& measurement);

/// Inverse of to_json_line. Throws InputError for anything else.
Measurement parse_measurement(std::string_view line);

/// The text of a run folder's columns.json about the keys of results.jsonl.
std::string columns_json();

/// Describes the whole schema likewise: an object of `row`, and of `search`, the keys of a search.
std::string row_schema_json();

}  // namespace ndt::harness
