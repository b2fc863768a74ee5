// A module's entry for each of its implementations: its name, where it runs, what it promises, and how one is
// made. Lists, benchmarks, tests and reports derive everything from these entries.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ndt/align/aligner.hpp"

namespace ndt {

/// The most that an alignment may ask of a device; tests and reports hold the counters of Traffic against it.
struct Budget {
  /// Stands for a number that the implementation does not promise.
  static constexpr int kNotPromised = -1;
  int launches = kNotPromised;             ///< kernels and graphs started by the host
  int waits = kNotPromised;                ///< times that the host waits for the device
  int bytes_per_iteration = kNotPromised;  ///< moved between host and device
  /// A round is an iteration, or a line search that ended without a step.
  int bytes_per_round = kNotPromised;
  int final_download_bytes = kNotPromised;  ///< of the result
  int allocations = kNotPromised;           ///< after the first alignment
};

/// The rule of every implementation that runs the shared Newton loop.
inline constexpr std::string_view kStepRule =
    "clamped steps: stops when the applied step, metres and radians in one 6-vector, is shorter than "
    "epsilon; "
    "trust region: when a step on the last level, in metres that a point at the mean range moves, is shorter "
    "than 1/50 of its voxel edge; either: at the iteration limit";

/// One row of the table.
struct Implementation {
  std::string_view name;                            ///< the name to ask for
  std::string_view runs_on = {};                    ///< CPU or GPU
  std::string_view schedule = {};                   ///< one line
  std::function<std::string()> unavailable_reason;  ///< why it cannot run on this machine; empty: it can
  /// Throws std::invalid_argument for options that it does not offer. Null if this build left the
  /// implementation out.
  std::function<std::unique_ptr<Aligner>(const AlignOptions&)> make;
  /// `auto` takes the largest that can run; 0: never.
  int auto_rank = 0;
  bool batches = false;     ///< aligns the poses of a batch together, not one after the other
  bool on_device = false;   ///< has a Traffic
  bool one_thread = false;  ///< ignores AlignOptions::threads: measured once
  /// A study: shows what another way costs. A run measures it where its preset or its caller names it, and
  /// nothing chooses it.
  bool not_for_use = false;
  bool regularises = true;  ///< takes PerScan::regularisation
  bool peer = false;        ///< another algorithm: measured too, not held to the oracle's numbers
  /// Another program's method: it has no scores, takes its own time, and may answer with other bits each
  /// time.
  bool own_process = false;
  /// Names the solver of its 6x6 systems, where that depends on the machine. Asked only where it can run.
  std::function<std::string()> solver = {};
  std::string_view search = {};  ///< the strategy of the initial-pose search that takes it by default, if any
  Budget budget = {};            ///< the most that an alignment asks of a device
  std::string_view note = {};    ///< caution for readers of its results; may be empty
  std::string_view stop_rule = kStepRule;  ///< the rule it really applies
};

/// The entry with the largest auto_rank that can run here; null if none can.
const Implementation* fastest(std::span<const Implementation> table);

/// An aligner of the entry called `name`. Throws std::invalid_argument for an unknown name (listing the
/// names) and for options out of range, std::runtime_error with the reason if the implementation cannot run
/// here.
std::unique_ptr<Aligner> make_aligner(std::span<const Implementation> table, std::string_view name,
                                      const AlignOptions& options = {});

}  // namespace ndt
