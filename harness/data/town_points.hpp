// Scans of the synthetic town with a given number of points, on a map whose size does not depend on it.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/progress.hpp"
#include "data/dataset.hpp"

namespace ndt::harness {

/// The stops of a town's drive until it is 100 m away from the first, on the 400 m square of its map around that. A scan is
/// drawn from the sweep made there and, where that has too few points, from those of the nearest stops as well, moved by their
/// exact truth. `folder` is where the town lies.
Dataset town_points(Dataset town, const std::filesystem::path& folder, int points);

/// That of town_large for town_points_<points>, nothing for any other name. Throws UsageError for a number out of range.
std::optional<Dataset> load_town_points(std::string_view name, const ReportProgress& report = {});

}  // namespace ndt::harness
