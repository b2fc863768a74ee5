// Times of the implementations on this machine by which "auto" chooses (ndt/machine_times.hpp): side by side
// on the built-in courtyard, over a grid of scan sizes and of batch sizes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "ndt/machine_times.hpp"

namespace ndt::harness {

/// The sizes that a machine is measured with, from the least work to the most.
std::vector<Workload> contest_sizes();

/// What a contest gave.
struct Contest {
  std::vector<MachineTime> times;
  std::vector<std::string>
      failed;  ///< which implementation ended with an error, at which size, and the error
};

/// Measures all of the table that can run here and are for use, but the oracle and other algorithms, in about
/// `cap_s` seconds after each has aligned once, of which each size has its share. They take turns, in the
/// opposite order every other round, so that what slows the machine down meets all of them; a time is the
/// median of the rounds, of which there are at least three. What would not fit into the share, by its times
/// at smaller sizes, is left out: the slowest implementations of a size, or all of it.
Contest measure_machine(std::span<const Implementation> table, std::span<const Workload> sizes, double cap_s,
                        const ReportProgress& report = {});

}  // namespace ndt::harness
