// Options of a table as flags: name, placeholder and help come from the table, bounds and names of values
// too.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>

#include "ndt/align/align_options.hpp"
#include "registry/given_options.hpp"

namespace ndt {

/// The text of a flag; found by CLI11.
inline bool lexical_cast(const std::string& text, Levels& levels) {
  levels = levels_from_text(text);
  return true;
}

}  // namespace ndt

namespace ndt::harness {

/// Whether a group's help shows defaults: those of the structs are not those of a profile.
enum class Defaults { shown, hidden };

template <class Value>
std::string value_text(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>)
    return fmt::format("{}", value);
  else if constexpr (requires { value.has_value(); })
    return value ? value_text(*value) : "none";
  else
    return std::string(to_string(value));
}

template <class Struct, class Value>
std::string about(const Option<Struct, Value>& option, Defaults defaults) {
  std::string text(option.help);
  if (const std::string bounds = in_words(option.bounds); !bounds.empty()) text += ", " + bounds;
  if constexpr (std::is_enum_v<Value>) text += fmt::format(": {}", fmt::join(all_names<Value>(), ", "));
  if (defaults == Defaults::shown) text += fmt::format(" (default: {})", value_text(Struct{}.*option.member));
  return text;
}

template <class Struct, class Value>
void add_flag(CLI::App& command, const Option<Struct, Value>& option, Written<Value>& value,
              const char* group, Defaults defaults) {
  CLI::Option* flag = command.add_option(fmt::format("--{}", option.name), value, about(option, defaults));
  flag->type_name(std::string(option.unit))->group(group);
  if constexpr (std::is_unsigned_v<Value>)
    flag->check(CLI::NonNegativeNumber);  // or a minus sign would wrap around
}

/// A flag for every option that `wanted(option)` takes.
template <const auto&... kTables, class Wanted>
void add_flags(CLI::App& command, Given<kTables...>& given, const char* group, Defaults defaults,
               Wanted&& wanted) {
  given.for_each([&](const auto& option, auto& value) {
    if (wanted(option)) add_flag(command, option, value, group, defaults);
  });
}

}  // namespace ndt::harness
