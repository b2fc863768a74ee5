// Enumerations with spelled values: one list of names beside the enumeration drives printing, parsing and
// listing.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ndt {

/// An enumeration for which `enum_names(value)` gives the names in declaration order. Enumerators count from
/// 0 without gaps.
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
  enum_names(value).size();
};

/// The name of a value, "?" for a number that is none.
template <NamedEnum Enum>
std::string_view to_string(Enum value) {
  constexpr auto kNames = enum_names(Enum{});
  const auto index = static_cast<std::size_t>(value);
  return index < kNames.size() ? kNames[index] : "?";
}

/// Lists the names in declaration order.
template <NamedEnum Enum>
std::vector<Enum> all_values() {
  std::vector<Enum> all;
  for (std::size_t index = 0; index < enum_names(Enum{}).size(); ++index)
    all.push_back(static_cast<Enum>(index));
  return all;
}

/// Lists the names in declaration order.
template <NamedEnum Enum>
std::vector<std::string_view> all_names() {
  constexpr auto kNames = enum_names(Enum{});
  return {kNames.begin(), kNames.end()};
}

/// Finds a value by its name.
template <NamedEnum Enum>
std::optional<Enum> value_named(std::string_view name) {
  constexpr auto kNames = enum_names(Enum{});
  for (std::size_t index = 0; index < kNames.size(); ++index)
    if (kNames[index] == name) return static_cast<Enum>(index);
  return std::nullopt;
}

}  // namespace ndt
