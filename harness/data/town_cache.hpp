// The synthetic town as datasets by name: generated once, on first use, and kept.
#pragma once

#include <filesystem>
#include <optional>

#include "data/dataset.hpp"
#include "town/town.hpp"

namespace ndt::harness {

/// As write_town, with its progress on stderr.
TownSummary generate_town(const TownOptions& options, const std::filesystem::path& folder);

/// Where generated data is kept: NDT_CACHE, else ndt-bench below XDG_CACHE_HOME or ~/.cache.
std::filesystem::path cache_folder();

std::vector<DatasetInfo> list_towns();

/// The folder that a town is in, and nothing for a name that is no town's. Generates what is not there yet, which takes from a
/// second to minutes.
std::optional<std::filesystem::path> town_folder(std::string_view name);
/// The dataset there.
std::optional<Dataset> load_town(std::string_view name);

}  // namespace ndt::harness
