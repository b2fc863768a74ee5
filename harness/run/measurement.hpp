// One measurement as one line of results.jsonl: everything that later evaluation needs, so that a new metric needs no new run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.hpp"
#include "data/dataset.hpp"
#include "ndt/align/align_result.hpp"
#include "ndt/align/traffic.hpp"
#include "run/search_record.hpp"

namespace ndt::harness {

/// Why a measurement has no result.
enum class Failure {
  none,
  exception,  ///< the implementation said so
  crash,      ///< its process ended
  timeout,    ///< its process was ended after JobLimits::measurement_s
  memory,     ///< its process was ended past JobLimits::memory_mib
  skipped     ///< it was not begun, by JobLimits::call_s: nothing failed
};
std::string_view to_string(Failure failure);

/// How far the samples of a measurement can be trusted.
enum class Timing {
  settled,   ///< the timing rule was met
  wall_cap,  ///< its cap came first
  single     ///< not a timing measurement: one alignment
};
std::string_view to_string(Timing timing);

struct Measurement {
  std::string run_id;
  int job = 0;  ///< measurements of one process
  std::string implementation, dataset, frame, guess_name, variant;
  int threads = 0;
  int poses = 1;  ///< aligned in one call, from guesses around `guess`
  double resolution_m = 0;
  Transform guess;  ///< map_from_scan; of a search, the mean of its prior
  std::optional<GuessOffset> guess_offset;
  std::optional<Transform> truth;
  std::optional<SearchRecord> search;  ///< if it is one: an alignment from each of its particles

  // Void with an error. Of a batch: points and times as for one alignment, iterations and evaluations summed over its poses,
  // everything else of its first pose, which starts from `guess` itself; so of a search and its best particle.
  std::int64_t points = 0, map_points = 0, voxels = 0;
  Transform pose;  ///< map_from_scan
  std::string stop;
  int iterations = 0, evaluations = 0, oscillation_count = 0;
  int newton_fallbacks = 0;  ///< or kNotCounted
  std::int64_t correspondences = 0;
  double score = 0, transform_probability = 0, nvtl = 0;
  double build_us = 0;                      ///< set_map, once per job or, if every frame has its own map, per frame
  std::vector<double> align_us;             ///< one alignment each, threads awake, caches warm
  std::vector<double> align_after_idle_us;  ///< one alignment each, all threads asleep before
  Timing timing = Timing::single;
  double calibration_us = 0;  ///< a fixed workload of one thread just before: how fast the machine was
  std::int64_t peak_rss_bytes = 0;
  std::optional<Traffic>
      traffic;  ///< of one timed alignment, but for the peak, which is the aligner's; nothing on the CPU
  std::vector<TracePoint> trace;  ///< empty unless asked for
  std::optional<PoseDifference> to_truth;

  std::string error;  ///< why there is no result
  Failure failure = Failure::none;

  bool failed() const { return !error.empty() && failure != Failure::skipped; }
};

/// What tells one measurement of a run from another.
std::string measurement_key(const Measurement& row);

/// One JSON object without line breaks; what was not measured is null.
std::string to_json_line(const Measurement& row);

/// Inverse of to_json_line. Throws InputError for anything else.
Measurement parse_measurement(std::string_view line);

}  // namespace ndt::harness
