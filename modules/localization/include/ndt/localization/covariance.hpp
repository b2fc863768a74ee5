// How uncertain a pose is: the covariance of x and y by one of four estimates, within a 6x6 of which the rest
// is fixed.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ndt/align/aligner.hpp"
#include "ndt/localization/localizer_options.hpp"

namespace ndt::localization {

/// Mean and covariance of positions, which is what the two multi modes are made of.
struct Scatter {
  double mean_x = 0, mean_y = 0;  ///< [m]
  PositionCovariance covariance;  ///< of x and y
};
/// Weights must add up to 1; one per position.
Scatter scatter_of(std::span<const Transform> poses, std::span<const double> weights);

/// Scatter of the result and of alignments from beside it, all with the same weight, times (n-1)/n as in the
/// reference. Nothing if one of them stopped without a pose, as at a deadline: where it stands then says
/// nothing about the others.
std::optional<Scatter> multi_ndt(const AlignResult& result, std::span<const AlignResult> beside);

/// Scatter of the result and of the places beside it, weighted by exp(NVTL / temperature). One batch.
Scatter multi_ndt_score(Aligner& aligner, const Scan& scan, const AlignResult& result,
                        std::span<const Offset> offsets, double temperature);

/// A covariance of x and y, or why there is none.
struct Estimate {
  std::optional<PositionCovariance> xy;  ///< nothing: the fixed one holds
  std::string missing;                   ///< why one that was asked for could not be made; else empty
};
/// Makes the estimate that the options ask for; a fixed one is no estimate. `beside`: for MULTI_NDT, the
/// alignments from the options' offsets. MULTI_NDT_SCORE takes a batch of scores.
Estimate estimated(Aligner& aligner, const Scan& scan, const AlignResult& result,
                   std::span<const AlignResult> beside, const LocalizerOptions& options);

/// Returns the covariance of x y z roll pitch yaw in the map: the fixed variances, and an estimate of x and
/// y. The estimate is scaled, and raised to the floor along the vehicle's axes.
Mat6 pose_covariance(const Transform& map_from_scan, const std::optional<PositionCovariance>& estimate,
                     const LocalizerOptions& options);

}  // namespace ndt::localization
