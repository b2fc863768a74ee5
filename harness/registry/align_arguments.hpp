// Registration options as the command line gives them: what was not given keeps the profile's value.
#pragma once

#include <optional>
#include <string>

#include "ndt/align/aligner.hpp"

namespace ndt::harness {

struct AlignArguments {
  std::string profile = "autoware";
  std::optional<double> resolution_m, step_m, epsilon_m, outlier_ratio;
  std::optional<int> max_iterations, threads;
  std::optional<std::string> neighbours, line_search, candidates, covariance_start;
  std::optional<double> timeout_ms;
  std::optional<double> regularisation_scale, regularisation_x_m, regularisation_y_m;
};

/// The profile, then the single options. Throws UsageError for an unknown name, std::invalid_argument for a value out of
/// range.
AlignOptions resolve(const AlignArguments& arguments);

/// The regularisation target, if both its coordinates are given, and the deadline, counted from this call. Throws UsageError
/// for one coordinate alone and for a time that is not positive.
PerScan per_scan(const AlignArguments& arguments);

/// Command-line names, for help texts.
std::string profile_names();
std::string neighbours_names();
std::string line_search_names();
std::string candidate_set_names();
std::string covariance_start_names();

}  // namespace ndt::harness
