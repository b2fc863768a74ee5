// The end of an alignment on the CPU: the loop's outcome, with what tells how far its pose can be trusted.
#pragma once

#include <cstdint>

#include "ndt/core/finite_points.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/edge/conditioning.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/score/point_kernels.hpp"
#include "ndt/solve/loop_outcome.hpp"

namespace ndt {

/// Adds the pushes of points[0 .. count), count in [1, kPointsTogether].
inline void add_pushed_points(const LevelMap& map, const Motion (&motions)[1 + kPushes], const Point* points,
                              int count, const SimdLanes&, PushSums<FloatLanes>& sums) {
  float held[kPointsTogether], scores[kPointsTogether];
  const auto score = [&](const Motion& motion, float* out) {
    point_kernels().largest_scores(map.view, map.gauss, motion, points, count, out);
  };
  score(motions[0], held);
  for (int i = 0; i < count; ++i) sums.held.lane[i % FloatLanes::kCount] += held[i];
  for (int k = 0; k < kPushes; ++k) {
    score(motions[1 + k], scores);
    for (int i = 0; i < count; ++i) {
      const int lane = i % FloatLanes::kCount;
      const float cost = held[i] - scores[i];
      sums.cost[k].lane[lane] += cost, sums.squared[k].lane[lane] += cost * cost;
    }
  }
}

/// As many workers can share the few points, each of which has its score taken five times.
inline constexpr int kPushChunks = 32;

/// Sums what pushes cost; the team shares out the points.
template <Team T>
PushSums<double> sum_pushes(T& team, const ScanView& scan, const LevelMap& map,
                            const Motion (&motions)[1 + kPushes]) {
  const int count = pushed_points(scan.size);
  return team
      .template sum<PushSums>(
          Chunks(count, kPushChunks),
          [&](int first, int few, const auto& lanes, auto& part) {
            Point points[SimdLanes::kPoints];
            for (int i = 0; i < few; ++i)
              points[i] = scan.points[static_cast<std::int64_t>(first + i) * scan.size / count];
            add_pushed_points(map, motions, points, few, lanes, part);
          },
          [] { return 0; })
      .sums;
}

/// The outcome of a loop that ended in `state`, on every worker. map: of the last level. Each worker finds
/// the information of the few surfaces for itself.
template <Team T>
LoopOutcome concluded(T& team, const ScanView& scan, const LevelMap& map, const LoopOptions& options,
                      const LoopState& state) {
  LoopOutcome out = outcome_of(state);
  // A mere evaluation (no iterations) has no ending to trust.
  if (options.max_iterations == 0 || !surfaces_matter(out.status)) return out;
  const SurfacePose at(out.pose, options.region.per_metre);
  const SurfaceInformation surfaces = surface_information(map, scan, at);
  set_surfaces(surfaces, out);
  if (!pushes_matter(out.status)) return out;
  PushScratch scratch;
  prepare_pushes(SoloCrew{}, surfaces, at, options.region.push_m, scratch);
  out.push_sigmas =
      push_sigmas(sum_pushes(team, scan, map, scratch.motions), scan.size, options.region.score_error);
  return out;
}

}  // namespace ndt
