// Options as keys of presets and plans: their names on the command line, with _ for -.
#pragma once

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_struct.hpp"
#include "io/toml_fields.hpp"
#include "ndt/align/align_options.hpp"
#include "registry/given_options.hpp"

namespace ndt {

/// In plans, an array of numbers; found by nlohmann::json.
inline void to_json(nlohmann::ordered_json& j, const Levels& levels) {
  j = nlohmann::ordered_json::array();
  for (const double level : levels) j.push_back(level);
}
inline void from_json(const nlohmann::ordered_json& j, Levels& levels) {
  levels = Levels(j.get<std::vector<double>>());
}

}  // namespace ndt

namespace ndt::harness {

inline std::string key_of(std::string_view option_name) {
  std::string key(option_name);
  std::ranges::replace(key, '-', '_');
  return key;
}

// Each leaves the value as it is where the key is missing. Bounds are checked where options are resolved.
inline void read_key(TomlTable& toml, const std::string& key, std::optional<std::string>& value) {
  if (auto given = toml.text(key)) value = std::move(given);
}
inline void read_key(TomlTable& toml, const std::string& key, std::optional<double>& value) {
  constexpr double kAny = std::numeric_limits<double>::max();
  if (const auto given = toml.number(key, -kAny, kAny)) value = given;
}
inline void read_key(TomlTable& toml, const std::string& key, std::optional<int>& value) {
  if (const auto given = toml.whole(key, 0, std::numeric_limits<int>::max()))
    value = static_cast<int>(*given);
}
/// An array of numbers, or text as on the command line.
inline void read_key(TomlTable& toml, const std::string& key, std::optional<Levels>& value) {
  constexpr double kAny = std::numeric_limits<double>::max();
  try {
    if (toml.is_text(key))
      value = levels_from_text(*toml.text(key));
    else if (const auto given = toml.numbers(key, -kAny, kAny))
      value = Levels(*given);
  } catch (const std::invalid_argument& error) {
    toml.refuse(key, error.what(), "give an array of numbers, such as [2.5, 1]");
  }
}

/// Calls f(key, value) for every option that variants and searches may set.
template <class GivenOptions, class F>
void for_each_key(GivenOptions& given, F&& f) {
  given.for_each([&]<class Struct, class Value>(const Option<Struct, Value>& option, auto& value) {
    if constexpr (!std::is_same_v<Value, std::uint64_t>)  // seeds are counted by studies
      if (option.in_variants) f(key_of(option.name), value);
  });
}

/// Sets the options that the table names; the others stay.
template <const auto&... kTables>
void read_options(TomlTable& toml, Given<kTables...>& given) {
  for_each_key(given, [&](const std::string& key, auto& value) { read_key(toml, key, value); });
}

/// Only what was given.
template <const auto&... kTables>
nlohmann::ordered_json options_json(const Given<kTables...>& given) {
  auto j = nlohmann::ordered_json::object();
  for_each_key(given, [&](const std::string& key, const auto& value) {
    if (value) j[key] = *value;
  });
  return j;
}

/// Inverse. Throws FieldError or nlohmann::json::exception.
template <class GivenOptions>
GivenOptions options_from_json(const nlohmann::ordered_json& j) {
  GivenOptions given;
  for_each_key(given, [&](const std::string& key, auto& value) {
    if (j.contains(key)) read_value(j.at(key), key, value);
  });
  return given;
}

}  // namespace ndt::harness
