// The oracle's own line search along a unit direction. It is written around a callback and shares nothing
// with common's.
#pragma once

#include <functional>
#include <optional>

#include "ndt/align/align_options.hpp"

namespace ndt::cpu_pclomp_ref {

/// φ(α) = -score and φ'(α) at one step length.
struct PhiSample {
  double alpha = 0, phi = 0, dphi = 0;
};

/// Evaluates φ at α; called once for every trial.
using Phi = std::function<PhiSample(double alpha)>;

struct SearchBounds {
  double lowest, highest, first;  ///< epsilon/2, the longest step, min(|δ|, step) clamped to them
};

/// The accepted step: strong Wolfe (μ = 1e-4, ν = 0.9) or the upper bound while still descending; otherwise
/// the trial with sufficient decrease and the lowest φ; nothing if no trial decreased φ sufficiently. [More &
/// Thuente 1994] with at most 10 trials.
std::optional<PhiSample> search_more_thuente(const Phi& phi, const PhiSample& at_zero,
                                             const SearchBounds& bounds);
/// The eight steps of a set of step ratios, in order.
std::optional<PhiSample> search_candidates(const Phi& phi, const PhiSample& at_zero,
                                           const SearchBounds& bounds, StepRatios set);

}  // namespace ndt::cpu_pclomp_ref
