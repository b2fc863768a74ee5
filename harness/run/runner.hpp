// Runs a plan: every job in a process of its own, so that a crash, a hang or too much memory costs one
// measurement.
#pragma once

#include "base/progress.hpp"
#include "run/run_folder.hpp"

namespace ndt::harness {

/// Takes the planned measurements that the folder lacks, so that it has every one in the end. If a process
/// ends early, its current measurement fails with the reason, and a new process continues with the next. If
/// it passed a limit before its map was built, every measurement of the job fails with the reason. `report`
/// is called after every measurement and at the start of every job.
void run(RunFolder& folder, const ReportProgress& report);

}  // namespace ndt::harness
