// The number at the end of a dataset's name.
#pragma once

#include <optional>
#include <string_view>

namespace ndt::harness {

/// Returns the number behind `prefix` if the rest of the name is one, as in courtyard_5000.
std::optional<int> number_after(std::string_view name, std::string_view prefix);

/// Throws UsageError naming the dataset, the value and its bounds.
void require_between(std::string_view name, int value, int least, int most);

}  // namespace ndt::harness
