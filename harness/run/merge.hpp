// Run folders that are parts of one run, joined into one folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ndt::harness {

/// Writes a run folder with the measurements of all parts, whose environments stay in parts.json. Throws
/// InputError unless the parts have the same plan but for their shards, program, datasets, columns and
/// implementations, and no measurement in common. Parts of different machines must not be timed: times are
/// never compared across machines. Returns the number of measurements.
std::size_t merge_runs(const std::vector<std::filesystem::path>& parts, const std::filesystem::path& out,
                       const std::string& command_line);

}  // namespace ndt::harness
