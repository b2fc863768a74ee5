// The one shape of the messages about names that do not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/exit_code.hpp"

namespace ndt::harness {

/// "unknown <kind> '<given>': did you mean '<nearest>'? choose from a, b, c". The nearest name is left out if none is
/// within half its length in edits.
UsageError unknown_name(std::string_view kind, std::string_view given, std::span<const std::string> names);

}  // namespace ndt::harness
