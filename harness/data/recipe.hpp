// How the files of a dataset of the catalogue are got: where they come from, under which licence, and which
// of them can be downloaded as they are.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ndt::harness {

/// A file of a dataset, by its path below the dataset's folder.
struct RecipeFile {
  std::string name;
  std::string sha256;  ///< 64 digits
  std::string url;     ///< where it is to be had as it is; empty: it is made as Recipe::obtain says
};

/// A dataset's entry in the catalogue, as far as getting it goes.
struct Recipe {
  std::string name, description, licence, source, obtain;
  std::filesystem::path folder;   ///< where its files belong; empty where NDT_DATASETS is not set
  std::string root;               ///< name of that folder below NDT_DATASETS
  std::vector<RecipeFile> files;  ///< in the order of the file; none where the catalogue has no checksums
};

/// Throws UsageError listing the names for an unknown one, InputError for an entry that cannot be used.
Recipe read_recipe(std::string_view name);

}  // namespace ndt::harness
