#include "ndt/initial_pose/search_options.hpp"

#include <fmt/format.h>

namespace ndt::initial_pose {
namespace {

/// Whether the score of a point means what it means with the defaults.
bool has_standard_scores(const AlignOptions& o) {
  const AlignOptions standard;
  return o.neighbours == standard.neighbours && o.outlier_ratio == standard.outlier_ratio &&
         o.min_points == standard.min_points && o.eigenvalue_ratio == standard.eigenvalue_ratio;
}

}  // namespace

double last_edge_m(const AlignOptions& options) { return *(options.levels.end() - 1) * options.resolution_m; }

std::optional<double> known_reliable_nvtl(const AlignOptions& options) {
  if (last_edge_m(options) != 2 || !has_standard_scores(options)) return std::nullopt;
  return options.covariance_start == CovarianceStart::identity ? 2.3 : 2.4;
}

std::optional<double> known_reliable_matched(const AlignOptions& options) {
  if (!has_standard_scores(options)) return std::nullopt;
  if (options.covariance_start == CovarianceStart::identity)  // chosen on the even scenes of preset trust
    return last_edge_m(options) == 2 ? std::optional(0.84) : std::nullopt;
  // Finer voxels leave more of the scan's noise outside the good scores.
  if (last_edge_m(options) == 2) return 0.82;
  if (last_edge_m(options) == 1) return 0.68;
  return std::nullopt;
}

std::string unknown_scale(const AlignOptions& options) {
  if (last_edge_m(options) != 2) return fmt::format("voxels of {:g} m", last_edge_m(options));
  return "these neighbours, outlier-ratio, min-points or eigenvalue-ratio";
}

void validate(const SearchOptions& options) { require_within(kSearchOptions, options); }

}  // namespace ndt::initial_pose
