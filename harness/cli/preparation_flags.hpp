// Options that filter clouds before they are used; shared by the subcommands that read clouds.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/preparation.hpp"

namespace ndt::harness {

/// The options as they were typed.
struct PreparationArguments {
  ScanPreparation scan, map;                      ///< all that needs no reading
  std::vector<std::string> crop_box, remove_box;  ///< of the scan
  std::optional<std::int64_t> seed;               ///< of the scan
};

void add_scan_preparation_flags(CLI::App& command, PreparationArguments& arguments);
void add_map_preparation_flags(CLI::App& command, PreparationArguments& arguments);

/// Throws UsageError for a box that is not 6 numbers and a seed without a sample, and as validate does.
ScanPreparation scan_preparation(const PreparationArguments& arguments);
ScanPreparation map_preparation(const PreparationArguments& arguments);

}  // namespace ndt::harness
