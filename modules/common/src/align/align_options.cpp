#include "ndt/align/align_options.hpp"

#include <fmt/format.h>

#include "ndt/align/option_bounds.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {

void validate(const AlignOptions& o) {
  require_closed("resolution", o.resolution_m, Limits::kResolutionLeastM, Limits::kResolutionMostM);
  require_above("step", o.step_m, 0, Limits::kStepM);
  require_above("epsilon", o.epsilon_m, 0, Limits::kEpsilonM);
  require_whole("max-iterations", o.max_iterations, 1, Limits::kIterations);
  if (!(o.outlier_ratio > 0 && o.outlier_ratio < 1))
    refuse_option("outlier-ratio", fmt::format("{}", o.outlier_ratio), "(0, 1)");
  require_whole("min-points", o.min_points, Limits::kVoxelPointsLeast, Limits::kVoxelPointsMost);
  require_closed("eigenvalue-ratio", o.eigenvalue_ratio, 0, 1);
  require_closed("reg-scale", o.regularisation_scale, 0, Limits::kRegularisation);
  require_whole("threads", o.threads, 0, Limits::kThreads);
}

std::string_view to_string(Neighbours value) {
  switch (value) {
    case Neighbours::radius: return "radius";
    case Neighbours::direct1: return "direct1";
    case Neighbours::direct7: return "direct7";
    case Neighbours::direct27: return "direct27";
  }
  return "?";
}
std::string_view to_string(LineSearch value) {
  switch (value) {
    case LineSearch::off: return "off";
    case LineSearch::more_thuente: return "more_thuente";
    case LineSearch::batched: return "batched";
  }
  return "?";
}
std::string_view to_string(StepRatios value) { return value == StepRatios::fixed8 ? "design15" : "golden"; }
std::string_view to_string(CovarianceStart value) { return value == CovarianceStart::identity ? "identity" : "zero"; }
std::string_view to_string(NewtonStep value) { return value == NewtonStep::reference ? "reference" : "damped"; }

std::vector<Neighbours> all_neighbours() {
  return {Neighbours::radius, Neighbours::direct1, Neighbours::direct7, Neighbours::direct27};
}
std::vector<LineSearch> all_line_searches() { return {LineSearch::off, LineSearch::more_thuente, LineSearch::batched}; }
std::vector<StepRatios> all_step_ratios() { return {StepRatios::fixed8, StepRatios::golden_ratio}; }
std::vector<CovarianceStart> all_covariance_starts() { return {CovarianceStart::identity, CovarianceStart::zero}; }

}  // namespace ndt
