#include "ndt/localization/beside.hpp"

#include <algorithm>
#include <cmath>

#include "ndt/initial_pose/second_look.hpp"

namespace ndt::localization {

std::vector<Transform> poses_beside(const Transform& pose, std::span<const Offset> offsets) {
  std::vector<Transform> poses;
  for (const Offset& offset : offsets) {
    Transform& beside = poses.emplace_back(pose);
    beside(0, 3) += pose(0, 0) * offset.x + pose(0, 1) * offset.y;
    beside(1, 3) += pose(1, 0) * offset.x + pose(1, 1) * offset.y;
  }
  return poses;
}

std::vector<Offset> places_around(int count, double distance_m) {
  std::vector<Offset> places;
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * kPi * k / count;
    places.push_back({distance_m * std::cos(angle), distance_m * std::sin(angle)});
  }
  return places;
}

Beside aligned_beside(Aligner& aligner, const Scan& scan, const Transform& pose,
                      std::span<const Offset> covariance, std::span<const Offset> spread, PerScan per_scan) {
  std::vector<Offset> offsets(covariance.begin(), covariance.end());
  offsets.insert(offsets.end(), spread.begin(), spread.end());
  if (offsets.empty()) return {};
  per_scan.trace = false;  // of the answer, not of what is beside it
  const std::vector<Transform> guesses = poses_beside(pose, offsets);
  std::vector<AlignResult> results(guesses.size());
  aligner.align_batch(scan, guesses, results, per_scan);
  const auto middle = results.begin() + static_cast<std::ptrdiff_t>(covariance.size());
  return {{results.begin(), middle}, {middle, results.end()}};
}

Spread spread_of_turned(Aligner& aligner, const Scan& scan, const Transform& pose, PerScan per_scan) {
  constexpr double kBesideM = 1, kTurnRad = initial_pose::kSecondLookRad;
  per_scan.trace = false;
  const std::vector<Offset> places = places_around(static_cast<int>(kTurnedPlaces), kBesideM);
  std::vector<Transform> guesses = poses_beside(pose, places);
  for (std::size_t k = 0; k < guesses.size(); ++k)
    guesses[k] = guesses[k] * to_transform({.yaw = k % 2 == 0 ? kTurnRad : -kTurnRad});
  std::vector<AlignResult> results(guesses.size());
  aligner.align_batch(scan, guesses, results, per_scan);
  return spread_of(pose, results);
}

bool holds(const Spread& turned) {
  constexpr double kNearM = 0.2, kNearRad = 0.007;
  return turned.known && turned.distance_m <= kNearM && turned.rotation_rad <= kNearRad;
}

Spread spread_of(const Transform& answer, std::span<const AlignResult> ended) {
  Spread spread;
  for (const AlignResult& result : ended) {
    if (no_pose(result.stop) != Reason::none) return {};
    spread.distance_m = std::max(spread.distance_m, translation_error_m(answer, result.map_from_scan));
    spread.rotation_rad = std::max(spread.rotation_rad, rotation_error_rad(answer, result.map_from_scan));
  }
  spread.known = true;
  return spread;
}

}  // namespace ndt::localization
