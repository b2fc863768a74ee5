#include "base/errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace ndt::harness {
namespace {

/// Levenshtein distance: insertions, deletions and replacements that turn a into b.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view given, std::span<const std::string> names) {
  const auto nearest =
      std::ranges::min_element(names, {}, [&](const std::string& name) { return edits(given, name); });
  if (nearest == names.end() || 2 * edits(given, *nearest) > nearest->size()) return {};
  return *nearest;
}

ExitCode exit_code_of(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error)) return ExitCode::bad_input;
  if (dynamic_cast<const std::invalid_argument*>(&error)) return ExitCode::usage;
  if (dynamic_cast<const RegressionError*>(&error)) return ExitCode::regression;
  if (dynamic_cast<const NoDeviceError*>(&error)) return ExitCode::no_device;
  return ExitCode::jobs_failed;
}

UsageError unknown_name(std::string_view kind, std::string_view given, std::span<const std::string> names) {
  const std::string nearest = nearest_name(given, names);
  return UsageError(fmt::format("unknown {} '{}': {}choose from {}", kind, printable(given),
                                nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest),
                                fmt::join(names, ", ")));
}

}  // namespace ndt::harness
