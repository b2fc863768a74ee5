// What a benchmark runs on: a map, a scan and guesses. Built-in scenes, and real clouds named by NDT_GOLDEN_DIR.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::harness {

struct NamedGuess {
  std::string name;
  Transform map_from_scan;
};

struct Dataset {
  std::string name, description;
  PointCloud map, scan;
  double resolution_m = 2.0;
  std::vector<NamedGuess> guesses;
  std::optional<Transform> truth;  ///< map_from_scan
};

struct DatasetInfo {
  std::string name, description;
  std::string unavailable_reason;  ///< empty = it can be loaded
};

/// All datasets this machine could have, without loading any.
std::vector<DatasetInfo> list_datasets();

/// Throws UsageError listing the names for an unknown one, InputError with the reason for one that is not available.
Dataset load_dataset(std::string_view name);

}  // namespace ndt::harness
