// Descriptors 0 to 2, which a caller may have closed, and words beside the answer on stderr.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace ndt::harness {

/// Opens what is closed of stdin, stdout and stderr on /dev/null: a file opened later would otherwise take
/// the free descriptor, and get what is printed. A lost answer stays an error: stdout takes no writes then.
void open_standard_streams();

/// Writes to stderr as far as it can be written: what is said beside the answer must not change how a command
/// ends.
void print_notice(std::string_view text);

template <class... Values>
void notice(fmt::format_string<Values...> format, Values&&... values) {
  print_notice(fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace ndt::harness
