// An object of JSON as it is written, without a tree of its values: that takes a tenth of the time.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ndt/core/enum_names.hpp"

namespace ndt::harness {

/// Writes keys in the order of the calls. Values are numbers, truths, texts, names of enumerations, null for
/// an empty optional, or lists of these. Null is written for numbers that are not finite.
class JsonLine {
 public:
  template <class T>
  void put(std::string_view key, const T& value) {
    name(key);
    write(value);
  }
  /// Has fill() put what belongs to an object of this key.
  template <class Fill>
  void object(std::string_view key, Fill&& fill) {
    name(key);
    enclosed('{', '}', fill);
  }
  /// Has fill(k) put what belongs to object k of a list.
  template <class Fill>
  void objects(std::string_view key, std::size_t count, Fill&& fill) {
    name(key);
    enclosed('[', ']', [&] {
      for (std::size_t k = 0; k < count; ++k) {
        next();
        enclosed('{', '}', [&] { fill(k); });
      }
    });
  }
  /// The text, and a new line from now on.
  std::string taken() { return std::exchange(text_, "{") + "}"; }

 private:
  template <class Fill>
  void enclosed(char open, char close, Fill&& fill) {
    text_ += open;
    fill();
    text_ += close;
  }
  void next() {
    if (text_.back() != '{' && text_.back() != '[') text_ += ',';
  }
  void name(std::string_view key) {
    next();
    text_.append(1, '"').append(key).append("\":");
  }

  void write(std::nullptr_t) { text_ += "null"; }
  void write(bool value) { text_ += value ? "true" : "false"; }
  template <std::integral T>
  void write(T value) {
    char room[24];
    text_.append(room, std::to_chars(room, room + sizeof room, value).ptr);
  }
  /// Fixed where nlohmann-json has it, with a point that tells it from a whole number.
  void write(double value) {
    if (!std::isfinite(value)) return write(nullptr);
    const double size = std::abs(value);
    const bool fixed = size == 0 || (size >= 1e-4 && size < 1e15);
    char room[40];
    const std::string_view digits(
        room, std::to_chars(room, room + sizeof room, value,
                            fixed ? std::chars_format::fixed : std::chars_format::scientific)
                  .ptr);
    text_ += digits;
    if (fixed && digits.find('.') == digits.npos) text_ += ".0";
  }
  void write(std::string_view value) {
    const auto plain = [](unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
    if (std::ranges::all_of(value, plain))
      text_.append(1, '"').append(value).append(1, '"');
    else
      text_ += nlohmann::json(value).dump();
  }
  void write(const char* value) { write(std::string_view(value)); }
  void write(const std::string& value) { write(std::string_view(value)); }
  template <class T>
  requires std::is_enum_v<T>
  void write(T value) { write(std::string_view(to_string(value))); }
  template <class T>
  void write(const std::optional<T>& value) {
    value ? write(*value) : write(nullptr);
  }
  template <std::ranges::input_range T>
  void write(const T& values) {
    enclosed('[', ']', [&] {
      for (const auto& value : values) next(), write(value);
    });
  }

  std::string text_ = "{";
};

}  // namespace ndt::harness
