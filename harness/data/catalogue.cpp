#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/project_folder.hpp"
#include "data/sources.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "NDT_DATASETS";

/// Empty if the variable is not set.
fs::path data_folder() {
  const char* value = std::getenv(kVariable);
  return value == nullptr ? "" : value;
}

struct Entry {
  DatasetInfo info;
  fs::path description, folder;
};

/// Sorted by name; unreadable folders have none.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// A description that cannot be read is listed under its file's name with the reason.
Entry entry_of(const fs::path& description, const fs::path& own_folder) {
  Entry entry{{}, description, own_folder};
  try {
    const DatasetHead head = read_dataset_head(description);
    entry.info = {head.name, head.description, ""};
    if (!own_folder.empty()) return entry;
    entry.folder = data_folder() / head.root;
    std::error_code error;
    if (data_folder().empty())
      entry.info.unavailable_reason = fmt::format("{} is not set", kVariable);
    else if (!fs::is_directory(entry.folder, error))
      entry.info.unavailable_reason =
          fmt::format("{} has no folder {}", kVariable, printable_name(head.root));
  } catch (const InputError& error) {
    const fs::path named = own_folder.empty() ? description.stem() : own_folder.filename();
    entry.info = {printable_name(named.string()), "cannot be read", error.what()};
  }
  return entry;
}

std::vector<Entry> entries() {
  std::vector<Entry> all;
  for (const fs::path& file : files_in(project_folder("datasets/catalogue")))
    if (file.extension() == ".toml") all.push_back(entry_of(file, {}));
  std::error_code error;
  if (!data_folder().empty())
    for (const fs::path& folder : files_in(data_folder()))
      if (fs::is_regular_file(folder / "dataset.toml", error))
        all.push_back(entry_of(folder / "dataset.toml", folder));
  return all;
}

}  // namespace

std::vector<DatasetInfo> list_catalogue() {
  std::vector<DatasetInfo> infos;
  for (Entry& entry : entries()) infos.push_back(std::move(entry.info));
  return infos;
}

std::optional<Dataset> load_from_catalogue(std::string_view name) {
  for (const Entry& entry : entries()) {
    if (entry.info.name != name) continue;
    if (!entry.info.unavailable_reason.empty())
      throw InputError(fmt::format("dataset {} is not available: {}", name, entry.info.unavailable_reason));
    return read_dataset(entry.description, entry.folder);
  }
  return std::nullopt;
}

}  // namespace ndt::harness
