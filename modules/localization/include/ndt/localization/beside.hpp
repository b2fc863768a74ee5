// Alignments that begin beside an answer: where they end tells how firmly the scan holds it.
#pragma once

#include <span>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/localization/gates.hpp"

namespace ndt::localization {

/// The poses beside one: moved by each offset along its own x and y axes, in the map's plane.
std::vector<Transform> poses_beside(const Transform& pose, std::span<const Offset> offsets);

/// Returns `count` places evenly around a pose, the first ahead of it.
std::vector<Offset> places_around(int count, double distance_m);

/// Results of alignments that began beside a pose.
struct Beside {
  std::vector<AlignResult> covariance;  ///< MULTI_NDT's
  std::vector<AlignResult> spread;      ///< those that tell the spread
};
/// All of them as one batch, in which no result depends on the others.
Beside aligned_beside(Aligner& aligner, const Scan& scan, const Transform& pose,
                      std::span<const Offset> covariance, std::span<const Offset> spread, PerScan per_scan);

inline constexpr std::size_t kTurnedPlaces = 6;
/// How far from a pose alignments end that begin 1 m around it, turned by 1.5 degrees to either side. Those
/// along a free direction stay where they began, and so does a heading that nothing holds.
Spread spread_of_turned(Aligner& aligner, const Scan& scan, const Transform& pose, PerScan per_scan);
/// Whether that is so near that the scan holds the pose: 0.2 m and 0.4 degrees.
bool holds(const Spread& turned);

/// How far from the answer they ended.
Spread spread_of(const Transform& answer, std::span<const AlignResult> ended);

}  // namespace ndt::localization
