// The prior as initial-pose takes it from flags.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/flags.hpp"
#include "registry/search_arguments.hpp"
#include "registry/search_prior.hpp"

namespace ndt::harness {

struct PriorArguments {
  std::optional<std::string> kind;
  PoseArgument guess;
  std::vector<std::string> sigma, box, up;
  std::optional<double> sigma_yaw, place_cell;
};

/// Five numbers, the deviations of a prior. Throws UsageError if they are others.
void take_sigma(const std::vector<std::string>& words, initial_pose::PosePrior& prior);

/// Three numbers, the map's up direction; z where none is given. Throws UsageError for others.
Vec3<double> up_from(const std::vector<std::string>& words);
void add_up_flag(CLI::App& command, std::vector<std::string>& words, const char* with);

void add_prior_flags(CLI::App& command, PriorArguments& arguments);

/// Method anywhere, unless another is named, where the prior is a box or the map. Not for a peer.
SearchArguments with_method(SearchArguments given, const PriorArguments& prior);
/// Throws UsageError for what is missing, contradictory or of no use to the method, std::invalid_argument for
/// values out of range.
ResolvedPrior resolve(const PriorArguments& arguments, const ResolvedSearch& setting);

}  // namespace ndt::harness
