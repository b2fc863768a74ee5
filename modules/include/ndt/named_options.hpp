// Options of a registration as text, for other languages: the names and values of ndt-bench's flags.
#pragma once

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ndt/align/align_options.hpp"
#include "ndt/align/option.hpp"

namespace ndt {

/// Returns a Profile. Throws std::invalid_argument for another name.
AlignOptions profile_named(std::string_view name);

/// Sets one option, such as "resolution" to "1" or "neighbours" to "direct7"; '_' and '-' are the same in a
/// name. The bounds are those of validate(), which an aligner applies to all when it is made. Throws
/// std::invalid_argument for an unknown name, listing the names, and for a value that is no number or no name
/// of that option.
void set_option(AlignOptions& options, std::string_view name, std::string_view value);

/// The profile's options with those of "resolution=1 neighbours=direct7" changed; "profile=NAME" may stand
/// among them, wherever, and is autoware otherwise. Throws as above, and std::invalid_argument for a word
/// without '=' or a name given twice.
AlignOptions options_from_text(std::string_view text);

/// "a, b, c", for messages.
std::string listed(const std::vector<std::string_view>& names);

/// '_' becomes '-', as flags have it.
std::string as_flag(std::string_view name);

/// Throws std::invalid_argument "option <name> = '<value>': <expected>".
[[noreturn]] void refuse_value(std::string_view name, std::string_view value, const std::string& expected);

/// Throws as refuse_value() does for a text that is no value of that type.
template <class Value>
Value value_from(std::string_view name, std::string_view text) {
  if constexpr (std::is_enum_v<Value>) {
    if (const auto value = value_named<Value>(text)) return *value;
    refuse_value(name, text, "choose from " + listed(all_names<Value>()));
  } else if constexpr (std::is_same_v<Value, Levels>) {
    return levels_from_text(text);
  } else if constexpr (requires { typename Value::value_type; }) {
    return value_from<typename Value::value_type>(name, text);  // an optional
  } else {
    Value value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      refuse_value(name, text, std::is_integral_v<Value> ? "give a whole number" : "give a number");
    return value;
  }
}

/// Sets the option of `table` that has this name; false if none has. Throws as value_from() does.
template <class Struct, class... Options>
bool set_named(const std::tuple<Options...>& table, Struct& options, std::string_view name,
               std::string_view value) {
  const std::string flag = as_flag(name);
  bool found = false;
  for_each_option(table, [&]<class Value>(const Option<Struct, Value>& option) {
    if (option.name != flag) return;
    options.*option.member = value_from<Value>(option.name, value);
    found = true;
  });
  return found;
}

}  // namespace ndt
