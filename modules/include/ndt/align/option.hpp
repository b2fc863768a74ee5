// An option of a struct, written once: name, member, bounds, unit and meaning. A std::tuple of them is the
// table that drives validation, command-line flags, keys of presets and plans, and help.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace ndt {

/// Bounds of a number. NaN is never within them.
struct Bounds {
  /// The least and the largest value.
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool low_included = true, high_included = true;  ///< whether these are values themselves

  /// [low, high].
  static constexpr Bounds closed(double low, double high) { return {low, high, true, true}; }
  /// (low, high].
  static constexpr Bounds above(double low, double high) { return {low, high, false, true}; }
  /// (low, high).
  static constexpr Bounds between(double low, double high) { return {low, high, false, false}; }
  /// Any number but infinities.
  static constexpr Bounds finite() {
    return between(-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  }
  static constexpr Bounds none() { return {}; }  ///< any number

  /// Whether the value is within them; NaN never is.
  constexpr bool hold(double value) const {
    return (low_included ? value >= low : value > low) && (high_included ? value <= high : value < high);
  }
};

/// Writes bounds as "[0.001, 1000]" or "(0, 100]".
std::string interval(const Bounds& bounds);
/// Writes bounds as "0.001 to 1000", "above 0 to 100" or "between 0 and 1"; empty without a finite bound.
std::string in_words(const Bounds& bounds);

/// Throws std::invalid_argument "option <name> = <value>: must be in <bounds>".
[[noreturn]] void refuse_option(std::string_view name, const std::string& value, std::string_view bounds);

/// Each throws as refuse_option does unless the value is within the bounds.
void require_within(std::string_view name, double value, const Bounds& bounds);
/// As above; nothing is within all bounds.
inline void require_within(std::string_view name, const std::optional<double>& value, const Bounds& bounds) {
  if (value) require_within(name, *value, bounds);
}
void require_closed(std::string_view name, double value, double low, double high);  ///< [low, high]
void require_above(std::string_view name, double value, double low, double high);   ///< (low, high]
/// [low, high], whole numbers.
void require_whole(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high);

/// One option of a struct.
template <class StructOf, class ValueOf>
struct Option {
  using Struct = StructOf;  ///< the struct that has it
  using Value = ValueOf;    ///< type of its value

  std::string_view name;    ///< as a flag: --name; as a key: with _ for -
  Value Struct::*member;    ///< where its value is
  Bounds bounds;            ///< if it is a number, or of every entry of a list
  std::string_view unit;    ///< stands for the value in --help
  std::string_view help;    ///< what it does, for --help
  bool in_variants = true;  ///< false: a benchmark's study sets it for all variants
};
/// Written out, because Clang before 17 does not deduce an aggregate's arguments from its members.
template <class Struct, class Value, class... Rest>
Option(std::string_view, Value Struct::*, Bounds, Rest...) -> Option<Struct, Value>;

/// Calls f(option) in the table's order.
template <class... Options, class F>
constexpr void for_each_option(const std::tuple<Options...>& table, F&& f) {
  std::apply([&](const auto&... option) { (f(option), ...); }, table);
}

/// Throws as refuse_option does for the first number out of its bounds.
template <class Struct, class... Options>
void require_within(const std::tuple<Options...>& table, const Struct& options) {
  for_each_option(table, [&]<class Value>(const Option<Struct, Value>& option) {
    if constexpr (std::is_arithmetic_v<Value>)
      require_within(option.name, static_cast<double>(options.*option.member), option.bounds);
    else if constexpr (requires { require_within(option.name, options.*option.member, option.bounds); })
      require_within(option.name, options.*option.member, option.bounds);  // a list, or an optional
  });
}

}  // namespace ndt
