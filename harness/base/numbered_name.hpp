// Dataset names that end in a number: a scene in any size.
#pragma once

#include <optional>
#include <string_view>

namespace ndt::harness {

/// The number behind `prefix`, if the rest of the name is one.
std::optional<int> number_after(std::string_view name, std::string_view prefix);

/// Throws UsageError naming the dataset, the value and its bounds.
void require_between(std::string_view name, int value, int least, int most);

}  // namespace ndt::harness
