#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/json_fields.hpp"
#include "data/inside_folder.hpp"
#include "data/sources.hpp"
#include "io/cloud_file.hpp"
#include "io/text.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

fs::path folder() {
  const char* value = std::getenv("NDT_GOLDEN_DIR");
  if (value == nullptr || *value == '\0') throw InputError("NDT_GOLDEN_DIR is not set");
  return value;
}

/// The "cases" of alignments.json.
json read_cases() {
  const fs::path file = folder() / "alignments.json";
  const std::string text = whole_text(file, Limits::kDescriptionBytes, "name fewer cases and guesses");
  const json content = json::parse(text, nullptr, false);
  if (!content.is_object() || !content.contains("cases") || !content["cases"].is_object())
    throw InputError(fmt::format("{} is not a JSON object with \"cases\"", file.string()));
  for (const auto& [name, entry] : content["cases"].items())
    if (name.empty() || printable_name(name) != name || name.find('/') != std::string::npos)
      throw InputError(fmt::format("{}: '{}' cannot be the name of a case", file.string(), printable(name)));
  return content["cases"];
}

std::string text_field(const json& entry, const char* key) {
  return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : std::string();
}

DatasetInfo describe(const std::string& name, const json& entry) {
  const std::string map = text_field(entry, "map"), scan = text_field(entry, "scan");
  constexpr std::size_t kShown = 60;
  DatasetInfo info{
      name, fmt::format("real clouds: {} onto {}", printable(scan, kShown), printable(map, kShown)), ""};
  for (const std::string& file : {map, scan}) {
    std::error_code impossible_name;  // such a file is missing too
    if (!file.empty() && !stays_inside(folder(), file))
      info.unavailable_reason = fmt::format("{} is outside NDT_GOLDEN_DIR", printable(file, kShown));
    else if (file.empty() || !fs::exists(folder() / file, impossible_name))
      info.unavailable_reason = fmt::format("{} is missing in NDT_GOLDEN_DIR",
                                            file.empty() ? "its map or scan" : printable(file, kShown));
  }
  return info;
}

}  // namespace

std::vector<DatasetInfo> list_golden_datasets() try {
  std::vector<DatasetInfo> infos;
  const json cases = read_cases();
  for (const auto& [name, entry] : cases.items()) infos.push_back(describe(name, entry));
  return infos;
} catch (const InputError& error) {
  return {{"golden", "real clouds with golden results", error.what()}};
}

Dataset load_golden_dataset(std::string_view name) {
  const json cases = read_cases();
  const json& entry = cases.at(std::string(name));
  Dataset dataset;
  const DatasetInfo info = describe(std::string(name), entry);
  dataset.name = info.name;
  dataset.description = info.description;
  dataset.kind = "pair";
  dataset.map = [file = folder() / text_field(entry, "map")](std::size_t) { return read_cloud(file); };
  dataset.scan = [file = folder() / text_field(entry, "scan")](std::size_t) { return read_cloud(file); };
  try {
    Frame frame{.name = "0", .truth = {}, .guesses = {}};
    for (const auto& [guess, matrix] : entry.at("guesses").items())
      frame.guesses.push_back({guess, transform_of(matrix)});
    dataset.frames.push_back(std::move(frame));
  } catch (const json::exception& error) {
    throw InputError(fmt::format("alignments.json: guesses of {}: {}", name, printable(error.what(), 300)));
  }
  return dataset;
}

}  // namespace ndt::harness
