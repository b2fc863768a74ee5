// Refusals of options out of range, in one wording for every group of options. NaN is never in range.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ndt {

/// Throws std::invalid_argument "option <name> = <value>: must be in <bounds>".
[[noreturn]] void refuse_option(std::string_view name, const std::string& value, std::string_view bounds);

/// Each throws as refuse_option unless the value is within.
void require_closed(std::string_view name, double value, double low, double high);  ///< [low, high]
void require_above(std::string_view name, double value, double low, double high);   ///< (low, high]
void require_whole(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high);

}  // namespace ndt
