// Takes the measurements of one job in this process. Time is taken from outside the aligner, unless it takes
// its own; errors come from returned poses.
#pragma once

#include <functional>
#include <vector>

#include "run/measurement.hpp"
#include "run/plan.hpp"

namespace ndt::harness {

struct MeasureObserver {
  std::function<void()> ready;                                   ///< the first map is built
  std::function<void(const Measurement& measurement)> measured;  ///< called as soon as one is taken
};

/// Aligns as the plan's timing rule says: once to warm up (with the trace, if one is wanted), then after
/// idleness, then until there are enough samples. All alignments of a measurement must give the same bits
/// (those of peers from outside need not), and the timed ones on a device copy, launch and wait alike. What
/// throws is a failed measurement with its error; if the map cannot be built, all of them fail. Takes the
/// measurements named by `wanted` alone.
void measure(const Plan& plan, const Job& job, const Implementation& entry, const Dataset& dataset,
             const std::vector<std::size_t>& wanted, const MeasureObserver& observer);

}  // namespace ndt::harness
