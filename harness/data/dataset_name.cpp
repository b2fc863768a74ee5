#include "data/dataset_name.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "base/errors.hpp"

namespace ndt::harness {

namespace {

template <class Number>
std::optional<Number> rest_as(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  Number value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size() || name.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<int> number_after(std::string_view name, std::string_view prefix) {
  return rest_as<int>(name, prefix);
}

std::optional<std::uint64_t> seed_after(std::string_view name, std::string_view prefix) {
  const auto seed = rest_as<std::uint64_t>(name, prefix);
  if (!seed || name.size() != prefix.size() + std::to_string(*seed).size()) return std::nullopt;
  return seed;
}

void require_between(std::string_view name, int value, int least, int most) {
  if (value < least || value > most)
    throw UsageError(fmt::format("dataset {}: {} must be in [{}, {}]", name, value, least, most));
}

}  // namespace ndt::harness
