// Text of strangers in messages: without control characters, and short.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ndt {

/// Escapes control characters as \xHH; `keep_high`: UTF-8 stays, otherwise every byte above ASCII is escaped.
std::string escaped(std::string_view text, bool keep_high);

/// Escapes text for one line of a terminal: control and non-ASCII bytes become \xHH; cut after `shown` bytes.
std::string printable(std::string_view text, std::size_t shown = 40);

}  // namespace ndt
