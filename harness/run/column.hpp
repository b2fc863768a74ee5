// A column of results.jsonl, written once: key, member, unit, when it is null, and what it means.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "run/measurement.hpp"

namespace ndt::harness {

enum class Null { never, with_error, may, later };
constexpr auto enum_names(Null) {
  return std::array{"never", "with an error", "may be null",
                    "may be null, and is missing in runs made before there was such a column"};
}

/// A member of an optional struct: its columns are all null or none is, unless the member is optional too.
template <class Struct, class Whole, class Value>
struct PartOf {
  std::optional<Whole> Struct::*whole;
  Value Whole::*part;
};
// Guides are written out, because Clang before 17 does not deduce an aggregate's arguments from its members.
template <class Struct, class Whole, class Value>
PartOf(std::optional<Whole> Struct::*, Value Whole::*) -> PartOf<Struct, Whole, Value>;

/// The name that readers know a type by.
template <class T>
inline constexpr std::string_view kKind = "text";
template <std::integral T>
inline constexpr std::string_view kKind<T> = "int";
template <>
inline constexpr std::string_view kKind<bool> = "flag";
template <>
inline constexpr std::string_view kKind<double> = "number";
template <class T>
inline constexpr std::string_view kKind<std::optional<T>> = kKind<T>;
template <>
inline constexpr std::string_view kKind<Transform> = "matrix";
template <>
inline constexpr std::string_view kKind<std::vector<double>> = "numbers";
template <>
inline constexpr std::string_view kKind<GuessOffset> = "offset";
template <>
inline constexpr std::string_view kKind<std::vector<TracePoint>> = "trace";
template <>
inline constexpr std::string_view kKind<SearchRecord> = "search";
template <>
inline constexpr std::string_view kKind<double[5]> = "sigma";
template <>
inline constexpr std::string_view kKind<std::vector<Improvement>> = "improvements";
template <>
inline constexpr std::string_view kKind<std::vector<std::array<double, 7>>> = "paths";
template <class Struct, class Value>
inline constexpr std::string_view kKind<Value Struct::*> = kKind<Value>;
template <class Struct, class Whole, class Value>
inline constexpr std::string_view kKind<PartOf<Struct, Whole, Value>> = kKind<Value>;

template <class Place>
struct Column {
  std::string_view name;
  Place place;  ///< pointer to member, or PartOf
  std::string_view unit;
  Null null;  ///< of those that may be: empty text, an empty list, kNotCounted and an enumeration's first
              ///< value are null
  std::string_view meaning;
  std::string_view kind = kKind<Place>;
};
template <class Place, class... Rest>
Column(std::string_view, Place, std::string_view, Null, std::string_view, Rest...) -> Column<Place>;

template <class... Columns, class F>
constexpr void for_each_column(const std::tuple<Columns...>& table, F&& f) {
  std::apply([&](const auto&... column) { (f(column), ...); }, table);
}

}  // namespace ndt::harness
