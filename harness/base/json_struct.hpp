// Structs to and from JSON objects by one list of their members: `fields_of(const Struct*)` answers a
// std::tuple of Field, or of anything else with a name and a member.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_fields.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {

template <class StructOf, class ValueOf>
struct Field {
  std::string_view name;
  ValueOf StructOf::*member;
};
// Written out, because Clang before 17 does not deduce an aggregate's arguments from its members.
template <class Struct, class Value>
Field(std::string_view, Value Struct::*) -> Field<Struct, Value>;

template <class T>
concept HasFields = requires(const T* value) {
  fields_of(value);
};

/// A value of a type or in a range that its field does not take; names the key.
struct FieldError : InputError {
  using InputError::InputError;
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsListOfStructs = false;
template <HasFields T>
inline constexpr bool kIsListOfStructs<std::vector<T>> = true;

template <class T>
inline constexpr bool kIsListOfWholes = false;
template <std::integral T>
inline constexpr bool kIsListOfWholes<std::vector<T>> = true;

/// All members in their order.
template <HasFields T>
nlohmann::ordered_json object_of(const T& value);
/// Throws FieldError or nlohmann::json::exception. A missing key is refused, except one of an optional
/// member.
template <HasFields T>
void read_object(const nlohmann::ordered_json& j, T& value);

/// Null for an empty optional, names for enumerations, 16 numbers for a Transform.
template <class T>
nlohmann::ordered_json value_json(const T& value) {
  if constexpr (kIsOptional<T>) {
    return value ? value_json(*value) : nlohmann::ordered_json();
  } else if constexpr (NamedEnum<T>) {
    return std::string(ndt::to_string(value));
  } else if constexpr (std::is_same_v<T, Transform>) {
    return array_of(value.m);
  } else if constexpr (std::is_array_v<T>) {
    return array_of(value);
  } else if constexpr (HasFields<T>) {
    return object_of(value);
  } else if constexpr (kIsListOfStructs<T>) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& entry : value) list.push_back(object_of(entry));
    return list;
  } else {
    return value;
  }
}

/// nlohmann-json would cut fractions off, wrap what is too large, and take true for 1.
template <std::integral T>
void read_whole(const nlohmann::ordered_json& j, std::string_view name, T& value) {
  const bool fits = j.is_number_unsigned()  ? std::in_range<T>(j.get<std::uint64_t>())
                    : j.is_number_integer() ? std::in_range<T>(j.get<std::int64_t>())
                                            : false;
  if (!fits) throw FieldError(fmt::format("{} is no whole number in range", name));
  value = j.get<T>();
}

/// nlohmann-json would leave out what is too many.
inline void require_numbers(const nlohmann::ordered_json& j, std::string_view name, std::size_t count) {
  if (!j.is_array() || j.size() != count || !std::ranges::all_of(j, &nlohmann::ordered_json::is_number))
    throw FieldError(fmt::format("{} is no list of {} numbers", name, count));
}

/// Throws FieldError that names the key, or nlohmann::json::exception.
template <class T>
void read_value(const nlohmann::ordered_json& j, std::string_view name, T& value) {
  if constexpr (kIsOptional<T>) {
    value.reset();
    if (!j.is_null()) read_value(j, name, value.emplace());
  } else if constexpr (NamedEnum<T>) {
    const std::string text = j.get<std::string>();
    const std::optional<T> found = value_named<T>(text);
    if (!found) throw FieldError(fmt::format("{} is '{}'", name, text.substr(0, 40)));
    value = *found;
  } else if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
    read_whole(j, name, value);
  } else if constexpr (std::is_same_v<T, Transform>) {
    require_numbers(j, name, 16);
    value = transform_of(j);
  } else if constexpr (std::is_array_v<T>) {
    require_numbers(j, name, std::extent_v<T>);
    const auto numbers = j.get<std::array<std::remove_extent_t<T>, std::extent_v<T>>>();
    std::ranges::copy(numbers, value);
  } else if constexpr (HasFields<T>) {
    read_object(j, value);
  } else if constexpr (kIsListOfStructs<T>) {
    value.clear();
    for (const nlohmann::ordered_json& entry : j) read_object(entry, value.emplace_back());
  } else if constexpr (kIsListOfWholes<T>) {
    value.clear();
    if (!j.is_array()) throw FieldError(fmt::format("{} is not a list", name));
    for (const nlohmann::ordered_json& entry : j) read_whole(entry, name, value.emplace_back());
  } else {
    j.get_to(value);
  }
}

template <HasFields T>
nlohmann::ordered_json object_of(const T& value) {
  auto j = nlohmann::ordered_json::object();
  std::apply(
      [&](const auto&... field) { ((j[std::string(field.name)] = value_json(value.*field.member)), ...); },
      fields_of(&value));
  return j;
}

template <HasFields T>
void read_object(const nlohmann::ordered_json& j, T& value) {
  const auto read = [&](const auto& field) {
    auto& member = value.*field.member;
    const std::string name(field.name);
    if (kIsOptional<std::remove_cvref_t<decltype(member)>> && !j.contains(name)) return;
    read_value(j.at(name), field.name, member);
  };
  std::apply([&](const auto&... field) { (read(field), ...); }, fields_of(&value));
}

/// For objects in which an absent value has no key.
inline nlohmann::ordered_json without_nulls(const nlohmann::ordered_json& object) {
  auto j = nlohmann::ordered_json::object();
  for (const auto& [key, value] : object.items())
    if (!value.is_null()) j[key] = value;
  return j;
}

}  // namespace ndt::harness
