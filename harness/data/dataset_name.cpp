#include "data/dataset_name.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/errors.hpp"

namespace ndt::harness {

std::optional<int> number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  int value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size() || name.empty()) return std::nullopt;
  return value;
}

void require_between(std::string_view name, int value, int least, int most) {
  if (value < least || value > most)
    throw UsageError(fmt::format("dataset {}: {} must be in [{}, {}]", name, value, least, most));
}

}  // namespace ndt::harness
