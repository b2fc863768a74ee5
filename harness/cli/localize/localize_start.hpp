// The start of a localisation: a pose, or a search around one or in the whole map.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/flags.hpp"
#include "cli/common/map_flags.hpp"
#include "localize/scan_sequence.hpp"
#include "ndt/align/implementation.hpp"
#include "ndt/localization/localizer.hpp"

namespace ndt::harness {

/// As they were typed.
struct StartArguments {
  PoseArgument init, guess;
  std::vector<std::string> sigma, up;
};

void add_start_flags(CLI::App& command, StartArguments& a);
bool starts_by_search(const StartArguments& a);
/// Throws UsageError for what would not be used.
void check(const StartArguments& a);

/// The pose where the first scan is expected, or the prior of its search.
struct Start {
  std::optional<Transform> pose;  ///< nothing: it is searched in the whole map
  std::optional<initial_pose::PosePrior> prior;

  void give(localization::Localizer& localizer) const;
  /// Nothing for all of the map.
  std::optional<MapArea> area(const MapArguments& map) const;
};
/// Throws UsageError where the first pose is unknown and not searched.
Start start_of(const StartArguments& a, const ScanSequence& sequence);

struct WholeMapStart {
  const Implementation& entry;
  const AlignOptions& options;  ///< of the searching aligner
  const localization::LocalizerOptions& localizer;
  std::string unknown_scale;  ///< names what no bounds are known for
  Vec3<double> up;            ///< the map's up direction
};

/// The pose of the scan, as initial-pose --prior map finds it; nothing where the verdict is ambiguous or
/// not_found. Says on stderr that it searches, and what it found. `aligner` has the map.
std::optional<Transform> start_in_whole_map(const WholeMapStart& with, Aligner& aligner,
                                            const PointCloud& map, const PointCloud& scan);

}  // namespace ndt::harness
