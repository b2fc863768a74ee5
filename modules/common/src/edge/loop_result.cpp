#include <algorithm>
#include <stdexcept>

#include "ndt/edge/conditioning.hpp"
#include "ndt/edge/loop_aligner.hpp"
#include "ndt/solve/trust_region.hpp"

namespace ndt {
namespace {

Stop stop_of(LoopStatus status, const Conditioning& conditioning) {
  switch (status) {
    case LoopStatus::step_below_epsilon:
      return conditioning.well_posed() ? Stop::converged : Stop::degenerate;
    case LoopStatus::no_overlap: return Stop::no_overlap;
    case LoopStatus::degenerate: return Stop::degenerate;
    case LoopStatus::non_finite: return Stop::non_finite;
    case LoopStatus::line_search_failed: return Stop::line_search_failed;
    case LoopStatus::cancelled: return Stop::cancelled;
    case LoopStatus::timeout: return Stop::timeout;
    case LoopStatus::max_iterations: break;
    case LoopStatus::running:
    case LoopStatus::block_missing: throw std::logic_error("to_result: the loop has no result");
  }
  return conditioning.surfaces_fix_the_pose() ? Stop::max_iterations : Stop::degenerate;
}

double per_point(double score, const ScanFacts& scan) {
  return scan.points > 0 ? score / static_cast<double>(scan.points) : 0.0;
}

double nvtl_of(const LoopOutcome& o) {
  return o.points > 0 ? o.nearest / static_cast<double>(o.points) : 0.0;
}

}  // namespace

LoopStatus HostWatch::operator()() const {
  const std::optional<Stop> stop = interruption(per_scan);
  if (!stop) return LoopStatus::running;
  return *stop == Stop::cancelled ? LoopStatus::cancelled : LoopStatus::timeout;
}

namespace {

// Shares of a level's voxel edge. Twice and half as much changes the evaluations by a few per cent.
constexpr double kCoarseRadius = 1.0 / 3, kLastRadius = 1.0 / 2;
constexpr double kCoarseEnd = 1.0 / 15, kCoarseEndFromAfar = 1.0 / 30, kLastEnd = 1.0 / 50;
constexpr double kNear = 0.05;  // of the last level's edge

RegionOptions region_options(const AlignOptions& options, std::span<const MapLevel> levels,
                             const std::optional<MapLevel>& windows, double mean_range_m) {
  RegionOptions out;
  out.last = static_cast<int>(levels.size()) - 1;
  for (int l = 0; l <= out.last; ++l) {
    const MapLevel& level = levels[static_cast<std::size_t>(l)];
    const bool last = l == out.last;
    out.levels[l] = {
        level.edge_m * (last ? kLastRadius : kCoarseRadius), level.edge_m * (last ? kLastEnd : kCoarseEnd),
        level.edge_m * (last ? kLastEnd : kCoarseEndFromAfar), levels.back().origin - level.origin};
  }
  if (windows) {
    out.finish = true;
    out.levels[out.last + 1].radius_m = options.finish_window * options.resolution_m / 4;
    out.levels[out.last + 1].shift = levels.back().origin - windows->origin;
  }
  out.near_m = kNear * levels.back().edge_m;
  out.curvature_share = options.negative_curvature;
  out.per_metre = per_metre_at(mean_range_m);
  out.push_m = kPushPerEdge * levels.back().edge_m;
  out.score_error = score_error(options.covariance_start, levels.back().edge_m);
  return out;
}

}  // namespace

LoopOptions loop_options(const AlignOptions& options, const PerScan& per_scan,
                         std::span<const MapLevel> levels, const std::optional<MapLevel>& windows,
                         double mean_range_m) {
  const Vec3<double>& map_origin = levels.back().origin;
  LoopOptions out{options.step_m,
                  options.epsilon_m,
                  options.max_iterations,
                  {},
                  options.newton_step,
                  options.line_search,
                  options.step_ratios,
                  options.hessian,
                  region_options(options, levels, windows, mean_range_m)};
  if (per_scan.regularisation)
    out.regularisation = {true, options.regularisation_scale, per_scan.regularisation->x - map_origin.x,
                          per_scan.regularisation->y - map_origin.y};
  return out;
}

Transform to_local(const Transform& map_from_scan, const Vec3<double>& map_origin) {
  return make_transform(rotation_of(map_from_scan), translation_of(map_from_scan) - map_origin);
}

Transform to_global(const Pose& local, const Vec3<double>& map_origin) {
  return to_transform(shifted(local, map_origin));
}

std::optional<Conditioning> conditioning_of(const LoopOutcome& outcome, double mean_range_m) {
  if (guess_returned(outcome.status)) return std::nullopt;
  const Mat6 hessian = hessian_of(outcome);
  if (!surfaces_matter(outcome.status)) return conditioning_of(hessian, mean_range_m);
  return conditioning_of(hessian, mean_range_m, surfaces_of(outcome), outcome.pose);
}

AlignResult to_result(const LoopOutcome& outcome, const Transform& guess, const Vec3<double>& map_origin,
                      const ScanFacts& scan, const std::vector<LoopTrace>& trace,
                      const std::optional<Conditioning>& worded) {
  AlignResult out;
  out.map_from_scan =
      guess_returned(outcome.status) || outcome.iterations == 0 ? guess : to_global(outcome.pose, map_origin);
  out.iterations = outcome.iterations;
  out.evaluations = outcome.evaluations;
  out.oscillation_count = outcome.oscillation;
  out.newton_fallbacks = outcome.fallbacks;
  out.correspondences = outcome.pairs;
  out.dropped_points = scan.dropped;
  out.score = outcome.score;
  out.transform_probability = per_point(outcome.score, scan);
  out.nvtl = nvtl_of(outcome);
  out.hessian = hessian_of(outcome);
  out.derivative_pose = shifted(outcome.pose, map_origin);
  if (const auto conditioning = worded ? worded : conditioning_of(outcome, scan.mean_range_m)) {
    out.conditioning = *conditioning;
    if (surfaces_matter(outcome.status))
      out.conditioning.push_sigmas = static_cast<double>(outcome.push_sigmas);
    out.laplace_covariance = laplace_covariance(out.hessian);
  }
  out.stop = stop_of(outcome.status, out.conditioning);
  if (outcome.finish_step_m >= 0)
    out.finish =
        FinishStep{static_cast<double>(outcome.finish_step_m), static_cast<double>(outcome.finish_score)};
  for (const LoopTrace& t : trace)
    out.trace.push_back({out.trace.empty() ? guess : to_global(t.pose, map_origin), t.score,
                         t.score / static_cast<double>(std::max<std::int64_t>(scan.used(t.level), 1)), t.nvtl,
                         t.step, t.level, t.radius});
  return out;
}

Evaluation to_evaluation(const LoopOutcome& outcome, const Vec3<double>& map_origin, const ScanFacts& scan) {
  Evaluation out;
  out.score = outcome.score;
  out.transform_probability = per_point(outcome.score, scan);
  out.nvtl = nvtl_of(outcome);
  out.correspondences = outcome.pairs;
  out.points_with_voxels = outcome.points;
  out.dropped_points = scan.dropped;
  out.gradient = outcome.gradient;
  out.hessian = hessian_of(outcome);
  out.derivative_pose = shifted(outcome.pose, map_origin);
  return out;
}

}  // namespace ndt
