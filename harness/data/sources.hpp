// The sources of datasets. Each lists its names and loads one of them. load_dataset asks one source after the
// other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/progress.hpp"
#include "data/dataset.hpp"
#include "town/town.hpp"

namespace ndt::harness {

// Datasets described by a dataset.toml. datasets/README.md documents the format. dataset_file.cpp

/// Reads the description and the poses; clouds are read when asked for. File names are relative to `folder`.
/// Throws InputError naming file, line and key.
Dataset read_dataset(const std::filesystem::path& description, const std::filesystem::path& folder);

/// Name and description for lists, read without the poses; `root` is the name of its folder below
/// NDT_DATASETS.
struct DatasetHead {
  std::string name, description, root;
};
DatasetHead read_dataset_head(const std::filesystem::path& description);

// Real data that the project knows but does not carry: datasets/catalogue/*.toml describe it, NDT_DATASETS
// holds it. catalogue.cpp

/// Lists the catalogue's entries, and folders below NDT_DATASETS that bring a dataset.toml of their own.
std::vector<DatasetInfo> list_catalogue();

/// Returns nothing for an unknown name. Throws InputError if the files are missing or unusable.
std::optional<Dataset> load_from_catalogue(std::string_view name);

// The built-in courtyard, with scans and maps of any size, made in memory. courtyard.cpp

std::vector<DatasetInfo> list_courtyards();

/// Returns nothing for any other name. Throws UsageError for "courtyard_<points>" and "courtyard_tiles_<n>"
/// out of bounds.
std::optional<Dataset> load_courtyard(std::string_view name);

// Built-in scenes, many of which no alignment can answer rightly. scenes.cpp

std::vector<DatasetInfo> list_scenes();

/// A name of the list draws its scenes with one seed; with another behind it, as in scenes_honest_7, it draws
/// others. Nothing for any other name.
std::optional<Dataset> load_scenes(std::string_view name);

// Halves of scans: half of a scan's points is the map, the other half is aligned with it. split_scans.cpp

/// The dataset and the seed of "split:NAME" and "split:SEED:NAME"; the seed is 1 unless the name has one.
struct SplitName {
  std::string dataset;
  std::uint64_t seed = 1;
};
std::optional<SplitName> split_name(std::string_view name);

/// Makes a map of its own for every frame: a random half of the scan's points behind its filters, thinned to
/// 0.1 m. The half is turned to any heading and tilted by about a degree. The other half is the scan, thinned
/// as all scans of the dataset. The truth is the motion of the map's half, which is exact.
Dataset split_scans(Dataset dataset, std::uint64_t seed);

// The synthetic town: generated once, on first use, and kept. town_datasets.cpp

/// Writes the town and reports each percent of it.
TownSummary generate_town(const TownOptions& options, const std::filesystem::path& folder,
                          const ReportProgress& report);

std::vector<DatasetInfo> list_towns();

/// Returns the folder of a town, nothing for any other name. The name of the list may have a seed other than
/// 1 behind it, as in town_seed7. Generates a missing town, which takes from a second to minutes.
std::optional<std::filesystem::path> town_folder(std::string_view name, const ReportProgress& report = {});
/// Loads the dataset in that folder.
std::optional<Dataset> load_town(std::string_view name, const ReportProgress& report = {});

/// Scans with a given number of points, on a map whose size does not depend on it: the stops of a town's
/// drive until it is 100 m away from the first, on the 400 m square of its map around that. A scan is drawn
/// from the sweep made there and, where that has too few points, from those of the nearest stops as well,
/// moved by their exact truth. `folder` is the town's.
Dataset town_points(Dataset town, const std::filesystem::path& folder, int points);

/// Returns town_points of town_large for town_points_<points>, nothing for any other name. Throws UsageError
/// for a number out of range.
std::optional<Dataset> load_town_points(std::string_view name, const ReportProgress& report = {});

}  // namespace ndt::harness
