// Lists of numbers as people type them.
#pragma once

#include <string_view>
#include <vector>

namespace ndt::harness {

/// Numbers separated by commas and/or blanks. Throws UsageError that names `option`, the number's position and its text.
std::vector<double> parse_numbers(std::string_view text, std::string_view option);

}  // namespace ndt::harness
