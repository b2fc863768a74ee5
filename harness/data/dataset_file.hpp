// Datasets described by a dataset.toml. datasets/README.md documents the format.
#pragma once

#include <filesystem>

#include "data/dataset.hpp"

namespace ndt::harness {

/// Reads the description and the poses; clouds are read when asked for. File names are relative to `folder`.
/// Throws InputError naming file, line and key.
Dataset read_dataset(const std::filesystem::path& description, const std::filesystem::path& folder);

/// Name and description for lists, read without the poses; `root` is the name of its folder below
/// NDT_DATASETS.
struct DatasetHead {
  std::string name, description, root;
};
DatasetHead read_dataset_head(const std::filesystem::path& description);

}  // namespace ndt::harness
