// Other programs on this machine: found, and what they say.
#pragma once

#include <optional>
#include <string>

namespace ndt::harness {

/// Returns the program's path on PATH, empty if it is missing.
std::string find_program(const std::string& name);

/// Returns the standard output of a shell command without the trailing line end, nothing if it failed.
/// Commands are fixed texts of this program, never input.
std::optional<std::string> output_of(const std::string& command);

}  // namespace ndt::harness
