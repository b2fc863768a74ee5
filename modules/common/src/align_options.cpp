#include "ndt/align/align_options.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "ndt/core/limits.hpp"

namespace ndt {
namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& value, std::string_view bounds) {
  throw std::invalid_argument(fmt::format("option {} = {}: must be in {}", name, value, bounds));
}

// Written so that NaN fails every test.
void closed(std::string_view name, double value, double low, double high) {
  if (!(value >= low && value <= high)) refuse(name, fmt::format("{}", value), fmt::format("[{}, {}]", low, high));
}
void above(std::string_view name, double value, double low, double high) {
  if (!(value > low && value <= high)) refuse(name, fmt::format("{}", value), fmt::format("({}, {}]", low, high));
}
void whole(std::string_view name, int value, int low, int high) {
  if (value < low || value > high) refuse(name, fmt::format("{}", value), fmt::format("[{}, {}]", low, high));
}

}  // namespace

void validate(const AlignOptions& o) {
  closed("resolution", o.resolution_m, Limits::kResolutionLeastM, Limits::kResolutionMostM);
  above("step", o.step_m, 0, Limits::kStepM);
  above("epsilon", o.epsilon_m, 0, Limits::kEpsilonM);
  whole("max-iterations", o.max_iterations, 1, Limits::kIterations);
  if (!(o.outlier_ratio > 0 && o.outlier_ratio < 1))
    refuse("outlier-ratio", fmt::format("{}", o.outlier_ratio), "(0, 1)");
  whole("min-points", o.min_points, Limits::kVoxelPointsLeast, Limits::kVoxelPointsMost);
  closed("eigenvalue-ratio", o.eigenvalue_ratio, 0, 1);
  closed("reg-scale", o.regularisation_scale, 0, Limits::kRegularisation);
  whole("threads", o.threads, 0, Limits::kThreads);
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
std::string_view to_string(CandidateSet value) { return value == CandidateSet::design15 ? "design15" : "golden"; }
std::string_view to_string(CovarianceStart value) { return value == CovarianceStart::identity ? "identity" : "zero"; }
std::string_view to_string(NewtonStep value) { return value == NewtonStep::reference ? "reference" : "damped"; }

std::vector<Neighbours> all_neighbours() {
  return {Neighbours::radius, Neighbours::direct1, Neighbours::direct7, Neighbours::direct27};
}
std::vector<LineSearch> all_line_searches() { return {LineSearch::off, LineSearch::more_thuente, LineSearch::batched}; }
std::vector<CandidateSet> all_candidate_sets() { return {CandidateSet::design15, CandidateSet::golden}; }
std::vector<CovarianceStart> all_covariance_starts() { return {CovarianceStart::identity, CovarianceStart::zero}; }

}  // namespace ndt
