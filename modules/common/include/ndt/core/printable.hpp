// Text of strangers in messages: without control characters, and short.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ndt {

/// Writes control characters in hexadecimal. `keep_high`: UTF-8 stays; otherwise all bytes above ASCII, too.
std::string escaped(std::string_view text, bool keep_high);

/// Text for one line of a terminal: control and non-ASCII bytes in hexadecimal, cut after `shown` bytes.
std::string printable(std::string_view text, std::size_t shown = 40);

}  // namespace ndt
