// The number at the end of a dataset's name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ndt::harness {

/// Returns the number behind `prefix` if the rest of the name is one, as in courtyard_5000.
std::optional<int> number_after(std::string_view name, std::string_view prefix);

/// Returns the seed behind `prefix`, as in scenes_honest_7. It has no leading zeros, so that a seed has one
/// name.
std::optional<std::uint64_t> seed_after(std::string_view name, std::string_view prefix);

/// Throws UsageError naming the dataset, the value and its bounds.
void require_between(std::string_view name, int value, int least, int most);

}  // namespace ndt::harness
