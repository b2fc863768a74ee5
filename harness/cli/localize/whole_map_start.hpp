// The start of a localisation of which nothing is known: the first scan is searched in the whole map.
#pragma once

#include <optional>

#include "ndt/align/implementation.hpp"
#include "ndt/localization/localizer_options.hpp"

namespace ndt::harness {

struct WholeMapStart {
  const Implementation& entry;
  const AlignOptions& options;  ///< of the searching aligner
  const localization::LocalizerOptions& localizer;
  Vec3<double> up;  ///< the map's up direction
};

/// The pose of the scan, as initial-pose --prior map finds it; nothing where the verdict is ambiguous or
/// not_found. Says on stderr that it searches, and what it found. `aligner` has the map.
std::optional<Transform> start_in_whole_map(const WholeMapStart& with, Aligner& aligner,
                                            const PointCloud& map, const PointCloud& scan);

}  // namespace ndt::harness
