// What a run's rows leave out because it is the same for all of them: its datasets, with thinned clouds for a picture, and its
// implementations.
#pragma once

#include "base/progress.hpp"
#include "run/run_folder.hpp"

namespace ndt::harness {

/// Writes columns.json, datasets.json, implementations.json and clouds/*.pcd into the folder of a run. Throws InputError. `report` is called
/// while a missing dataset is generated.
void write_run_facts(const RunFolder& folder, const ReportProgress& report);

}  // namespace ndt::harness
