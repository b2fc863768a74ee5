// What a run's rows leave out because it is the same for all of them: its datasets, with thinned clouds for a picture, and its
// implementations.
#pragma once

#include "run/run_folder.hpp"

namespace ndt::harness {

/// Writes datasets.json, implementations.json and clouds/*.pcd into the folder of a run. Throws InputError.
void write_run_facts(const RunFolder& folder);

}  // namespace ndt::harness
