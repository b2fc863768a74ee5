// What the machine's own tools say. Commands are fixed texts of ours, never input.
#pragma once

#include <optional>
#include <string>

namespace ndt::harness {

/// The program's path on PATH, empty if it is not there.
std::string find_program(const std::string& name);

/// Standard output of a shell command without the trailing line end; nothing if it failed.
std::optional<std::string> output_of(const std::string& command);

}  // namespace ndt::harness
