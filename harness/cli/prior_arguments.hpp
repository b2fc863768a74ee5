// Where the sensor may be, as initial-pose takes it: about a guess, in a box, or anywhere in the map.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ndt/initial_pose/place_search.hpp"
#include "registry/search_arguments.hpp"

namespace ndt::harness {

enum class PriorKind { pose, box, map };
constexpr auto enum_names(PriorKind) { return std::array{"pose", "box", "map"}; }
using ndt::to_string;

struct PriorArguments {
  std::optional<std::string> kind;
  std::vector<std::string> guess, sigma, box;
  std::optional<double> sigma_yaw, place_cell;
};

struct ResolvedPrior {
  PriorKind kind = PriorKind::pose;
  initial_pose::PosePrior pose;  ///< of another kind its mean alone: what it says of roll, pitch and heading
  Vec3<double> low, high;        ///< of a box [m]
  std::optional<double> sigma_yaw_rad, place_cell_m;
};

void add_prior_flags(CLI::App& command, PriorArguments& arguments);

/// Method anywhere, unless another is named, where the prior is a box or the map. Not for a peer.
SearchArguments with_method(SearchArguments given, const PriorArguments& prior);
/// Throws UsageError for what is missing, contradictory or of no use to the method, std::invalid_argument for
/// values out of range.
ResolvedPrior resolve(const PriorArguments& arguments, const ResolvedSearch& setting);

/// The part of the map that a prior tells.
initial_pose::PlaceRegion region_of(const ResolvedPrior& prior, const initial_pose::PlacePyramid& pyramid);

}  // namespace ndt::harness
