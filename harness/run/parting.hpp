// Finds where the alignments of two implementations part: the first iteration and quantity in which they
// differ by more than a bound. Tells whether a float32 step in the guess decides it.
#pragma once

#include <array>
#include <optional>

#include "base/metrics.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/core/enum_names.hpp"

namespace ndt::harness {

using ndt::to_string;

/// In the order in which an iteration makes them.
enum class Quantity {
  neighbours,  ///< point-voxel pairs
  score,
  gradient,
  hessian,
  step,   ///< the direction of the step taken
  alpha,  ///< its length
  end     ///< one of them stopped, or they stopped for different reasons
};
constexpr auto enum_names(Quantity) {
  return std::array{"neighbours", "score", "gradient", "hessian", "step", "alpha", "end"};
}

/// Differences up to these count as none. By Quantity, but for the end, which has none:
/// neighbours  difference of the counts
/// score       difference over the score
/// gradient    difference of an entry over sqrt(score |H|), H the Hessian's block of positions or of angles:
///             the largest that the sum of absolute contributions can be [Cauchy-Schwarz], but for a factor
/// hessian     norm of the difference of a 3x3 block over the block's norm
/// step        distance of the ends of two steps of the length of the shorter one [m and rad as one vector]
/// alpha       difference of the lengths [m and rad as one vector]
/// The first four are what the shared core is held to beside the oracle; a step may differ by a tenth of
/// what a final pose may.
inline constexpr std::array<double, 6> kPartingBounds = {0, 1e-6, 5e-5, 1e-5, 1e-4, 1e-4};
using PartingBounds = std::array<double, 6>;

struct Parting {
  int iteration = 0;  ///< 0: at the guess itself
  Quantity quantity = Quantity::end;
  double a = 0, b = 0;    ///< counts, scores, norms, lengths; iterations for the end
  double difference = 0;  ///< as the bound counts it
  /// The difference at the first one's pose: if above the bound, arithmetic differs, else the poses did.
  std::optional<double> at_one_pose;
};

/// Alignments of one implementation from six guesses, each moved along an axis by a float32 step of its
/// largest coordinate, compared with its alignment from the guess itself.
struct FloatSteps {
  double step_m = 0;
  int of = 0, parted = 0;
  int as_early = 0;              ///< parted in the same iteration as the two implementations, or before
  int same_way = 0;              ///< parted in the same iteration and quantity
  std::optional<Parting> first;  ///< the earliest of them
};

struct AlignmentDiff {
  AlignResult a, b;  ///< with traces
  PoseDifference apart;
  std::optional<Parting> parting;
  std::optional<FloatSteps> float_steps;  ///< of a, if they part
};

/// Aligns with both, which have the same map, and compares them evaluation by evaluation at the poses of
/// their traces. On levels before the last of `levels`, of which evaluate() says nothing, scores and steps
/// alone are compared. Throws InputError for an implementation without traces, and as align does.
AlignmentDiff diff_alignments(Aligner& a, Aligner& b, const PointCloud& scan, const Transform& guess,
                              const PerScan& per_scan, const PartingBounds& bounds, std::size_t levels);

}  // namespace ndt::harness
