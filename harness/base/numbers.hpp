// Numbers in text, independent of the locale. The whole word must be the number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ndt::harness {

/// Decimal digits only; nothing for signs, blanks, or more than 64 bits.
std::optional<std::uint64_t> parse_whole_number(std::string_view word);

enum class RealFault { none, not_a_number, out_of_range };

template <class T>
struct Real {
  T value = 0;
  RealFault fault = RealFault::none;
};

/// Decimal numbers, and nan, inf, infinity in any case; a leading + is allowed. Too small becomes the nearest of T (often
/// 0), too large is out_of_range. T is float or double.
template <class T>
Real<T> parse_real(std::string_view word);

}  // namespace ndt::harness
