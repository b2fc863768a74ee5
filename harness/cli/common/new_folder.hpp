// A folder for a run that was given none.
#pragma once

#include <filesystem>
#include <string>

namespace ndt::harness {

/// Makes a folder below bench-results: of the runs of one second, every one has its own, numbered from 2.
/// Throws InputError.
std::filesystem::path new_folder(const std::string& run_id);

}  // namespace ndt::harness
