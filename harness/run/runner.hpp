// Runs a plan: every job in a process of its own, so that a crash, a hang or too much memory costs one row.
#pragma once

#include "base/progress.hpp"
#include "run/run_folder.hpp"

namespace ndt::harness {

/// Measures the planned rows that the folder lacks, so that it has one row per planned measurement in the
/// end. If a process ends early, the reason becomes the row of its current measurement and a new process
/// continues with the next; if it passed a limit before its map was built, the reason becomes every row of
/// the job. `report` is called after every row and at the start of every job.
void run(RunFolder& folder, const ReportProgress& report);

}  // namespace ndt::harness
