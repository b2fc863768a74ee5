// The options of one or more tables that somebody gave: what was not given keeps its default.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/enum_names.hpp"

namespace ndt::harness {

template <class Value>
struct WrittenAs {
  using type = std::conditional_t<std::is_enum_v<Value>, std::string, Value>;
};
template <class Value>
struct WrittenAs<std::optional<Value>> : WrittenAs<Value> {};

/// As it was written: enumerations by name, so that an unknown one is refused where options are resolved.
template <class Value>
using Written = std::optional<typename WrittenAs<Value>::type>;

/// Throws UsageError unless it is a name of the enumeration.
template <NamedEnum Enum>
Enum named(std::string_view kind, std::string_view name) {
  if (const std::optional<Enum> value = value_named<Enum>(name)) return *value;
  const auto names = all_names<Enum>();
  throw unknown_name(kind, name, std::vector<std::string>(names.begin(), names.end()));
}

template <const auto&... kTables>
class Given {
 public:
  /// Calls f(option, value) for every option in the tables' order; a value without content was not given.
  template <class F>
  void for_each(F&& f) {
    visit(*this, f);
  }
  template <class F>
  void for_each(F&& f) const {
    visit(*this, f);
  }

  /// Returns the option with this member; throws std::logic_error if no table has one.
  template <class Struct, class Value>
  Written<Value>& operator[](Value Struct::*member) {
    return find<Written<Value>>(*this, member);
  }
  template <class Struct, class Value>
  const Written<Value>& operator[](Value Struct::*member) const {
    return find<const Written<Value>>(*this, member);
  }

  /// Takes from `base` what is not given here.
  void put_over(const Given& base) {
    at_each([&](auto index) {
      auto& value = std::get<index()>(values_);
      if (!value) value = std::get<index()>(base.values_);
    });
  }

  friend bool operator==(const Given&, const Given&) = default;

  /// Sets those of `options`' members that were given; others stay. Throws UsageError for an unknown name.
  template <class Struct>
  void apply_to(Struct& options) const {
    for_each([&]<class Owner, class Value>(const Option<Owner, Value>& option, const Written<Value>& value) {
      if constexpr (std::is_same_v<Owner, Struct>) {
        if (!value) return;
        if constexpr (std::is_enum_v<Value>)
          options.*option.member = named<Value>("--" + std::string(option.name), *value);
        else
          options.*option.member = *value;
      }
    });
  }

 private:
  static constexpr auto kOptions = std::tuple_cat(kTables...);

  template <class F>
  static void at_each(F&& f) {
    at_each_of(f, std::make_index_sequence<std::tuple_size_v<decltype(kOptions)>>());
  }
  template <class F, std::size_t... kIndex>
  static void at_each_of(F& f, std::index_sequence<kIndex...>) {
    (f(std::integral_constant<std::size_t, kIndex>()), ...);
  }

  template <class Self, class F>
  static void visit(Self& self, F& f) {
    at_each([&](auto index) { f(std::get<index()>(kOptions), std::get<index()>(self.values_)); });
  }

  template <class Found, class Self, class Struct, class Value>
  static Found& find(Self& self, Value Struct::*member) {
    Found* found = nullptr;
    const auto look = [&]<class Owner, class Other>(const Option<Owner, Other>& option, auto& value) {
      if constexpr (std::is_same_v<Other Owner::*, Value Struct::*>)
        if (option.member == member) found = &value;
    };
    visit(self, look);
    if (!found) throw std::logic_error("an option of no table: add it to the table of its struct");
    return *found;
  }

  template <class... Structs, class... Values>
  static std::tuple<Written<Values>...> written(const std::tuple<Option<Structs, Values>...>&);
  decltype(written(kOptions)) values_;
};

}  // namespace ndt::harness
