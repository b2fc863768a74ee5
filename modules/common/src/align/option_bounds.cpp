#include "ndt/align/option_bounds.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ndt {

void refuse_option(std::string_view name, const std::string& value, std::string_view bounds) {
  throw std::invalid_argument(fmt::format("option {} = {}: must be in {}", name, value, bounds));
}

// Written so that NaN fails every test.
void require_closed(std::string_view name, double value, double low, double high) {
  if (!(value >= low && value <= high))
    refuse_option(name, fmt::format("{}", value), fmt::format("[{}, {}]", low, high));
}
void require_above(std::string_view name, double value, double low, double high) {
  if (!(value > low && value <= high))
    refuse_option(name, fmt::format("{}", value), fmt::format("({}, {}]", low, high));
}
void require_whole(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) refuse_option(name, fmt::format("{}", value), fmt::format("[{}, {}]", low, high));
}

}  // namespace ndt
