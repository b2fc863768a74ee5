#include "data/load_dataset.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/errors.hpp"
#include "data/density.hpp"
#include "data/sources.hpp"
#include "ndt/io/errors.hpp"

namespace ndt::harness {
namespace {

std::optional<Dataset> load_from_path(const std::string& name) {
  if (!is_dataset_path(name)) return std::nullopt;
  const std::filesystem::path path(name);
  if (path.extension() == ".toml") return read_dataset(path, path.parent_path());
  return read_dataset(path / "dataset.toml", path);
}

/// Says what the name probably meant. No dataset's name has an extension.
UsageError no_dataset(const std::string& name) {
  const std::filesystem::path path(name);
  std::error_code error;
  if (std::filesystem::exists(path / "dataset.toml", error))
    return UsageError(
        fmt::format("unknown dataset '{0}'; a folder has this name: give {0}/", printable_name(name)));
  if (path.has_extension() && !std::filesystem::exists(path, error))
    return UsageError(fmt::format("{}: there is no such file; check the path", printable_name(name)));
  std::vector<std::string> names;
  for (const DatasetInfo& info : list_datasets()) names.push_back(info.name);
  return unknown_name("dataset", name, names);
}

}  // namespace

bool is_dataset_path(const std::string& name) {
  return name.find('/') != std::string::npos || name_and_density(name).dataset.ends_with(".toml");
}

std::vector<DatasetInfo> list_datasets() {
  std::vector<DatasetInfo> infos = list_courtyards();
  for (auto list : {list_scenes, list_towns, list_catalogue})
    for (DatasetInfo& info : list()) infos.push_back(std::move(info));
  return infos;
}

Dataset load_dataset(const std::string& name, const ReportProgress& report) {
  if (const auto [plain, density] = name_and_density(name); !density.empty())
    return at_density(load_dataset(std::string(plain), report), density);
  if (const auto split = split_name(name))
    return split_scans(load_dataset(split->dataset, report), split->seed);
  if (auto dataset = load_from_path(name)) return std::move(*dataset);
  if (auto dataset = load_courtyard(name)) return std::move(*dataset);
  if (auto dataset = load_scenes(name)) return std::move(*dataset);
  if (auto dataset = load_town(name, report)) return std::move(*dataset);
  if (auto dataset = load_town_points(name, report)) return std::move(*dataset);
  if (auto dataset = load_from_catalogue(name)) return std::move(*dataset);
  throw no_dataset(name);
}

}  // namespace ndt::harness
