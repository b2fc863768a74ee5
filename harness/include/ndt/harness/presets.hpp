// Named benchmarks: what `ndt-bench run` does unless told otherwise.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ndt::harness {

struct Preset {
  std::string_view name, description;
  std::vector<std::string> datasets;
  int samples = 30;      ///< alignments per implementation, dataset and thread count
  double limit_s = 6.0;  ///< for one dataset and thread count
};

std::span<const Preset> presets();

/// Throws UsageError that lists the names.
const Preset& find_preset(std::string_view name);

}  // namespace ndt::harness
