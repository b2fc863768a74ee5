#include "ndt/solve/loop_result.hpp"

#include "ndt/solve/conditioning.hpp"

namespace ndt {
namespace {

Stop stop_of(LoopEnd end, const Conditioning& conditioning) {
  switch (end) {
    case LoopEnd::step_below_epsilon: return conditioning.well_posed() ? Stop::converged : Stop::degenerate;
    case LoopEnd::no_overlap: return Stop::no_overlap;
    case LoopEnd::degenerate: return Stop::degenerate;
    case LoopEnd::non_finite: return Stop::non_finite;
    case LoopEnd::line_search_failed: return Stop::line_search_failed;
    case LoopEnd::cancelled: return Stop::cancelled;
    case LoopEnd::timeout: return Stop::timeout;
    case LoopEnd::max_iterations:
    case LoopEnd::running: break;
  }
  return conditioning.surfaces_fix_the_pose() ? Stop::max_iterations : Stop::degenerate;
}

double per_point(double score, const ScanFacts& scan) {
  return scan.points > 0 ? score / static_cast<double>(scan.points) : 0.0;
}

Pose shifted(Pose pose, const Vec3<double>& by) {
  pose.x += by.x, pose.y += by.y, pose.z += by.z;
  return pose;
}

}  // namespace

LoopEnd HostWatch::operator()() const {
  const std::optional<Stop> stop = interruption(per_scan);
  if (!stop) return LoopEnd::running;
  return *stop == Stop::cancelled ? LoopEnd::cancelled : LoopEnd::timeout;
}

LoopOptions loop_options(const AlignOptions& options, const PerScan& per_scan, const Vec3<double>& map_origin) {
  LoopOptions out{options.step_m,      options.epsilon_m,   options.max_iterations, {},
                  options.newton_step, options.line_search, options.candidates};
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

AlignResult to_result(const LoopState& state, const Transform& guess, const Vec3<double>& map_origin,
                      const ScanFacts& scan, const SurfacesAt& surfaces_at, const std::vector<LoopTrace>& trace) {
  const bool guess_returned = state.end == LoopEnd::no_overlap || state.end == LoopEnd::non_finite;
  const Evaluated& returned = guess_returned ? state.guess : state.here;
  const Derivatives& at = returned.at;
  AlignResult out;
  out.map_from_scan = guess_returned || state.iterations == 0 ? guess : to_global(state.here.pose, map_origin);
  out.iterations = state.iterations;
  out.evaluations = state.evaluations;
  out.oscillation_count = state.oscillation.longest();
  out.newton_fallbacks = state.fallbacks;
  out.correspondences = at.pairs;
  out.dropped_points = scan.dropped;
  out.score = at.score;
  out.transform_probability = per_point(at.score, scan);
  out.nvtl = at.nvtl();
  out.hessian = at.hessian;
  out.derivative_pose = shifted(returned.pose, map_origin);
  if (!guess_returned) {
    out.conditioning = conditioning_of(at.hessian, scan.mean_range_m);
    out.laplace_covariance = laplace_covariance(at.hessian);
  }
  if (state.end == LoopEnd::step_below_epsilon || state.end == LoopEnd::max_iterations)
    add_surfaces(surfaces_at(returned.pose), out.conditioning);
  out.stop = stop_of(state.end, out.conditioning);
  for (const LoopTrace& t : trace)
    out.trace.push_back(
        {out.trace.empty() ? guess : to_global(t.pose, map_origin), t.score, per_point(t.score, scan), t.nvtl, t.step});
  return out;
}

Evaluation to_evaluation(const LoopState& state, const Vec3<double>& map_origin, const ScanFacts& scan) {
  Evaluation out;
  out.score = state.here.at.score;
  out.transform_probability = per_point(state.here.at.score, scan);
  out.nvtl = state.here.at.nvtl();
  out.correspondences = state.here.at.pairs;
  out.points_with_voxels = state.here.at.points;
  out.dropped_points = scan.dropped;
  out.gradient = state.here.at.gradient;
  out.hessian = state.here.at.hessian;
  out.derivative_pose = shifted(state.here.pose, map_origin);
  return out;
}

}  // namespace ndt
