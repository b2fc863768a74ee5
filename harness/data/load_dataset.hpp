// Datasets by name or path: the built-in courtyard, the synthetic town, folders with a dataset.toml, and real
// clouds below NDT_DATASETS.
#pragma once

#include <string>
#include <vector>

#include "base/progress.hpp"
#include "data/dataset.hpp"

namespace ndt::harness {

/// All datasets this machine could have, without loading any.
std::vector<DatasetInfo> list_datasets();

/// Whether a name is the path of a user's own dataset: it has a slash or the ending .toml.
bool is_dataset_path(const std::string& name);

/// Loads a name of list_datasets, "courtyard_<points>", "courtyard_tiles_<n>", "scenes_<family>_<seed>",
/// "<town>_seed<n>", "town_points_<points>", or the path of a folder with a dataset.toml. Each may be split
/// into halves (split:NAME) and have scans of another density (NAME@0.25m). A town is generated on first use,
/// which takes from a second to minutes and calls `report`. Throws UsageError listing the names for an
/// unknown one, InputError with the reason for one that is not available.
Dataset load_dataset(const std::string& name, const ReportProgress& report = {});

}  // namespace ndt::harness
