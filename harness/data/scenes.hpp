// The built-in scenes: the courtyard with scans and maps of any size, made in memory.
#pragma once

#include <optional>

#include "data/dataset.hpp"

namespace ndt::harness {

std::vector<DatasetInfo> list_scenes();

/// Nothing for a name that is no scene's. Throws UsageError for "courtyard_<points>" and "courtyard_tiles_<n>" out of bounds.
std::optional<Dataset> load_scene(std::string_view name);

}  // namespace ndt::harness
