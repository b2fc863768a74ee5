// Real data that the project knows but does not carry: datasets/catalogue/*.toml describe it, NDT_DATASETS holds it.
#pragma once

#include <filesystem>
#include <optional>

#include "data/dataset.hpp"

namespace ndt::harness {

/// The catalogue's entries, and folders below NDT_DATASETS that bring a dataset.toml of their own.
std::vector<DatasetInfo> list_catalogue();

/// Nothing for a name that is not in it. Throws InputError if its files are not there or cannot be used.
std::optional<Dataset> load_from_catalogue(std::string_view name);

}  // namespace ndt::harness
