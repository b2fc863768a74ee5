// Values that may be given or not, by key: from a TOML table, and to and from JSON.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/toml_fields.hpp"

namespace ndt::harness {

/// Each leaves the value as it is where the key is missing. Bounds are checked by who resolves the values.
inline void read_key(TomlTable& toml, const char* key, std::string& value) { value = toml.text(key).value_or(value); }
inline void read_key(TomlTable& toml, const char* key, std::optional<std::string>& value) {
  if (auto given = toml.text(key)) value = std::move(given);
}
inline void read_key(TomlTable& toml, const char* key, std::optional<double>& value) {
  constexpr double kAny = std::numeric_limits<double>::max();
  if (const auto given = toml.number(key, -kAny, kAny)) value = given;
}
inline void read_key(TomlTable& toml, const char* key, std::optional<int>& value) {
  if (const auto given = toml.whole(key, 0, std::numeric_limits<int>::max())) value = static_cast<int>(*given);
}

template <class T>
void write_key(nlohmann::ordered_json& j, const char* key, const std::optional<T>& value) {
  if (value) j[key] = *value;
}

inline void restore_key(const nlohmann::ordered_json& j, const char* key, std::string& value) {
  value = j.value(key, value);
}
template <class T>
void restore_key(const nlohmann::ordered_json& j, const char* key, std::optional<T>& value) {
  if (j.contains(key)) value = j.at(key).get<T>();
}

}  // namespace ndt::harness
