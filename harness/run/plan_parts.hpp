// A stored plan once more, and a plan that several processes share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/plan.hpp"

namespace ndt::harness {

/// The plan of another run under a new id: same jobs, order, options and implementations; of a part, the same
/// part. Its cost is known. Throws InputError as read_plan does and for a dataset that is not available,
/// NoDeviceError or UsageError for an implementation that cannot run here.
Plan repeated_plan(const std::filesystem::path& file, const std::string& run_id,
                   const ReportProgress& report = {});

/// Leaves to this process the jobs of one part of so many; the plan stays whole. Parts have no measurement in
/// common: jobs that share some stay together, and are dealt out in the plan's order, which its seed has
/// mixed. Throws UsageError unless the part is one of them and has jobs.
void take_part(Plan& plan, int part, int of);

/// The jobs of the plan's shard, or all jobs.
std::vector<const Job*> own_jobs(const Plan& plan);

}  // namespace ndt::harness
