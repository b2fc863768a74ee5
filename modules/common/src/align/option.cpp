#include "ndt/align/option.hpp"

#include <cmath>
#include <stdexcept>

#include "ndt/core/formatted.hpp"

namespace ndt {

std::string interval(const Bounds& b) {
  return formatted("{}{}, {}{}", b.low_included ? '[' : '(', b.low, b.high, b.high_included ? ']' : ')');
}

std::string in_words(const Bounds& b) {
  if (!std::isfinite(b.low) || !std::isfinite(b.high)) return "";
  if (!b.low_included && !b.high_included) return formatted("between {} and {}", b.low, b.high);
  return formatted("{}{} to {}{}", b.low_included ? "" : "above ", b.low, b.high_included ? "" : "below ",
                   b.high);
}

void refuse_option(std::string_view name, const std::string& value, std::string_view bounds) {
  throw std::invalid_argument(formatted("option {} = {}: must be in {}", name, value, bounds));
}

void require_within(std::string_view name, double value, const Bounds& bounds) {
  if (!bounds.hold(value)) refuse_option(name, formatted("{}", value), interval(bounds));
}
void require_closed(std::string_view name, double value, double low, double high) {
  require_within(name, value, Bounds::closed(low, high));
}
void require_above(std::string_view name, double value, double low, double high) {
  require_within(name, value, Bounds::above(low, high));
}
void require_whole(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    refuse_option(name, formatted("{}", value), formatted("[{}, {}]", low, high));
}

}  // namespace ndt
