#include "ndt/initial_pose/anywhere.hpp"

#include <chrono>

#include "ndt/align/no_returns.hpp"

namespace ndt::initial_pose {

AnywhereResult search_anywhere(Aligner& aligner, const PlacePyramid& pyramid, const PointCloud& given,
                               const PlaceRegion& region, const Pose& guess, const Strategy& strategy,
                               const SearchOptions& options, HostPool& pool, const PerScan& per_scan,
                               const SearchObserver& observer, const PlaceProgress& progress,
                               DevicePlaces* device, const SightLines* sight_lines) {
  using Clock = std::chrono::steady_clock;
  validate(options);
  const Clock::time_point start = Clock::now();
  PointCloud room;
  const PointCloud& scan = options.keep_no_returns ? given : without_no_returns(given, room);
  PerScan coarse_limits = per_scan;
  if (per_scan.deadline) coarse_limits.deadline = start + (*per_scan.deadline - start) / 2;
  AnywhereResult result;
  result.coarse =
      find_places(pyramid, scan, {region, guess, options.particles}, pool, coarse_limits, progress, device);
  result.coarse_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  std::vector<Pose> starts;
  for (const Place& place : result.coarse.places) starts.push_back(place.pose);
  result.search = search_places(aligner, scan, starts, strategy, options, per_scan, observer, sight_lines);
  if (result.coarse.coverage < 1) {
    add_doubt(result.search.judgement, Doubt::partly_searched);
    if (result.search.judgement.verdict == Verdict::unknown) result.search.reliable = std::nullopt;
  }
  if (!result.search.interrupted) result.search.interrupted = result.coarse.interrupted;
  return result;
}

}  // namespace ndt::initial_pose
