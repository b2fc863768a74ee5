// Options that several subcommands share: declared once, so that they are spelt and explained alike.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/preparation.hpp"
#include "registry/align_arguments.hpp"
#include "registry/registry.hpp"

namespace ndt::harness {

/// Profile, every registration option, regularisation target and timeout; not --threads.
void add_align_flags(CLI::App& command, AlignArguments& arguments);
/// Profile, and the registration options that decide which voxels a map has.
void add_voxel_flags(CLI::App& command, AlignArguments& arguments);
/// One number of workers.
void add_threads_flag(CLI::App& command, AlignArguments& arguments);

/// The file of the scan; that of the map is in map_flags.hpp.
void add_scan_flag(CLI::App& command, std::string& file);

/// A pose as it was typed, each form as one word or several: at most one of them.
struct PoseArgument {
  std::vector<std::string> words, ros;
  bool empty() const { return words.empty() && ros.empty(); }
};

/// The flag, and the same with -ros behind its name; `without` is for the help.
void add_pose_flag(CLI::App& command, const std::string& name, PoseArgument& pose,
                   const std::string& without = "default: identity");
/// Identity where there is none. Warns of angles that look like degrees.
Transform pose_from(const PoseArgument& pose, const std::string& option);
/// Says on stderr that a missing --guess is identity.
void notice_missing(const PoseArgument& guess);

void add_implementation_flag(CLI::App& command, std::string& name);
/// Refuses one that is unknown or cannot run here, before any file is read. Leaves "auto" for later.
void require_implementation(const std::string& name);
/// Resolves "auto" and says on stderr what it took.
const Implementation& implementation_from(const std::string& name);

// Options that filter clouds before they are used; shared by the subcommands that read clouds.

/// The options as they were typed.
struct PreparationArguments {
  ScanPreparation scan, map;                      ///< all that needs no reading
  std::vector<std::string> crop_box, remove_box;  ///< of the scan
  std::optional<std::int64_t> seed;               ///< of the scan
};

void add_scan_preparation_flags(CLI::App& command, PreparationArguments& arguments);
void add_map_preparation_flags(CLI::App& command, PreparationArguments& arguments);

/// A box of 6 numbers, as one word or several; nothing without words. Throws UsageError.
std::optional<CropBox> box_from(const std::vector<std::string>& words, std::string_view option);

/// Throws UsageError for a box that is not 6 numbers and a seed without a sample, and as validate does.
ScanPreparation scan_preparation(const PreparationArguments& arguments);
ScanPreparation map_preparation(const PreparationArguments& arguments);

}  // namespace ndt::harness
