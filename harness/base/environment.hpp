// Where and with what numbers were measured.
#pragma once

#include <span>
#include <string>

namespace ndt::harness {

/// What /proc/cpuinfo calls the processor, or "unknown".
std::string cpu_model();
/// Cores this process may use, at least 1.
int core_count();
/// Distribution and kernel.
std::string operating_system();
/// UTC, ISO 8601: "2025-01-31T12:00:00Z", or "20250131T120000Z" in `compact` form for names.
std::string utc_now(bool compact = false);
/// A shell would split the text into the same words.
std::string command_line(std::span<const char* const> words);

/// environment.json: commit, date, compiler, flags, processor, system, GPUs, versions of the libraries.
std::string environment_json(const std::string& run_id, const std::string& command);

}  // namespace ndt::harness
