// One measured alignment as one line of results.jsonl: everything that later evaluation needs, so that a new metric needs no
// new run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ndt/harness/metrics.hpp"

namespace ndt::harness {

struct RunRow {
  std::string run_id, implementation, dataset;
  std::string frame;  ///< name of the guess; empty if the job failed before its first alignment
  int repeat = 0;
  int threads = 0;
  double resolution_m = 0;
  std::int64_t points = 0, voxels = 0;  ///< of the scan, of the map
  Transform guess, pose;                ///< map_from_scan
  std::optional<Transform> truth;
  std::string stop;
  int iterations = 0, evaluations = 0;
  std::int64_t correspondences = 0;
  double score = 0, transform_probability = 0, nvtl = 0;
  double build_us = 0;             ///< set_map, once per job
  double align_us = 0;             ///< directly after the same alignment: threads awake, caches warm
  double align_after_idle_us = 0;  ///< that alignment before it, when all threads had gone to sleep
  std::optional<PoseDifference> to_truth;
  std::optional<PoseDifference> to_reference;  ///< the reference's pose from the same guess; empty for itself
  std::string error;                           ///< why the job failed; the results above are void then
};

/// One JSON object without line breaks; fields of a failed job that were not measured are null.
std::string to_json_line(const RunRow& row);

/// Inverse of to_json_line. Throws InputError for anything else.
RunRow run_row_from_json(std::string_view line);

}  // namespace ndt::harness
