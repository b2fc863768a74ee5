// The synthetic town as datasets by name: generated once, on first use, and kept.
#pragma once

#include <filesystem>
#include <optional>

#include "base/progress.hpp"
#include "data/dataset.hpp"
#include "town/town.hpp"

namespace ndt::harness {

/// Writes the town and reports each percent of it.
TownSummary generate_town(const TownOptions& options, const std::filesystem::path& folder,
                          const ReportProgress& report);

/// Where generated data is kept: NDT_CACHE, else ndt-bench below XDG_CACHE_HOME or ~/.cache.
std::filesystem::path cache_folder();

std::vector<DatasetInfo> list_towns();

/// Returns the folder of a town, nothing for any other name. Generates a missing town, which takes from a second to minutes.
std::optional<std::filesystem::path> town_folder(std::string_view name, const ReportProgress& report = {});
/// Loads the dataset in that folder.
std::optional<Dataset> load_town(std::string_view name, const ReportProgress& report = {});

}  // namespace ndt::harness
