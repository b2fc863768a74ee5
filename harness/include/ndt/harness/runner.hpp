// Measures implementations side by side. Trusts nobody: time is taken from outside and errors come from returned poses.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ndt/harness/record.hpp"
#include "ndt/harness/registry.hpp"

namespace ndt::harness {

struct RunPlan {
  std::string run_id;
  std::vector<std::string> datasets;
  std::vector<const AlignerEntry*> implementations;
  std::vector<int> threads;
  AlignOptions options;                ///< threads are taken from the list above
  std::optional<double> resolution_m;  ///< instead of each dataset's own
  PerScan per_scan;
  int samples = 30;      ///< alignments per implementation, dataset and thread count; whole rounds over the guesses
  double limit_s = 6.0;  ///< for one dataset and thread count: after its equal share of it, a row gets no further round
};

/// Receives every row once, in the order measured; the progress text says what comes next.
struct RunObserver {
  std::function<void(const RunRow&)> row;
  std::function<void(std::string_view)> progress;
};

/// Every implementation aligns each guess in turn before any goes on to the next guess, so that drift of the machine hits
/// all alike. It does so twice, after all threads of the process have gone to sleep and again at once; both are timed and
/// must give the same bits. A row with one thread is measured once, whatever the thread counts. A job that throws gets a row
/// with its error and is dropped; the others go on.
void run(const RunPlan& plan, const RunObserver& observer);

}  // namespace ndt::harness
