// Runs a plan: every job in a process of its own, so that a crash, a hang or too much memory costs one row.
#pragma once

#include "base/progress.hpp"
#include "run/run_folder.hpp"

namespace ndt::harness {

/// Measures what the folder does not hold yet; one row for every planned measurement is there afterwards. The
/// reason for which a process ended becomes the row of the measurement it was at, and a new process goes on
/// behind it; if it was past a limit before its map was built, it becomes every row of the job. `report` is
/// called after every row and at the start of every job.
void run(RunFolder& folder, const ReportProgress& report);

}  // namespace ndt::harness
