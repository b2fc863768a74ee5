// Ctrl-C while a command works: what it keeps is said.
#pragma once

#include "base/interruption.hpp"
#include "base/standard_streams.hpp"
#include "base/terminal.hpp"
#include "cli/common/progress_line.hpp"
#include "data/load_dataset.hpp"

namespace ndt::harness {

/// Returns what `work` does. When it is interrupted, prints the words of `kept` and passes Interrupted on.
template <class Work, class Kept>
decltype(auto) interruptible(Work&& work, Kept&& kept) {
  const Interruption noted;
  try {
    return work();
  } catch (const Interrupted&) {
    draw_live_line("");  // takes the terminal's ^C away
    notice("ndt-bench: interrupted: {}\n", kept());
    throw;
  }
}

constexpr const char* kNoPartKept = "no part of the dataset is kept";
constexpr const char* kNothingMerged = "nothing is merged; the parts are as they were";

/// Loads a dataset, which may be made on first use.
inline Dataset load_with_progress(const std::string& name) {
  return interruptible([&] { return load_dataset(name, ProgressLine().report()); },
                       [] { return kNoPartKept; });
}

}  // namespace ndt::harness
