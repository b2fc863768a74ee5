// The places where the sensor may be before a search: about a guess, in a box, or anywhere in the map.
#pragma once

#include <array>
#include <optional>

#include "ndt/initial_pose/anywhere.hpp"

namespace ndt::harness {

enum class PriorKind { pose, box, map };
constexpr auto enum_names(PriorKind) { return std::array{"pose", "box", "map"}; }
using ndt::to_string;

struct ResolvedPrior {
  PriorKind kind = PriorKind::pose;
  /// The prior about a pose. Other kinds use only the mean's roll and pitch, and the heading.
  initial_pose::PosePrior pose;
  Vec3<double> low, high;  ///< of a box [m]
  std::optional<double> place_cell_m;
  Vec3<double> up{0, 0, 1};  ///< the map's up direction
};

using initial_pose::AnywhereSearch;

/// The part of the map that a prior tells.
initial_pose::PlaceRegion region_of(const ResolvedPrior& prior, const AnywhereSearch& map);

/// The search of a map that a prior asks for. A notice says where the aligner's device cannot search.
AnywhereSearch anywhere_in(const PointCloud& map, const AlignOptions& options, bool on_device,
                           const ResolvedPrior& prior = {});
/// A search of the map that has these grids.
AnywhereSearch anywhere_in(initial_pose::PlacePyramid&& grids, const AlignOptions& options, bool on_device);
/// Edge of the cells that a prior asks for.
double place_cell_m(const ResolvedPrior& prior, const AlignOptions& options);

}  // namespace ndt::harness
