// The one shape of the messages about unusable files.
#pragma once

#include <string>
#include <string_view>

#include "ndt/core/error.hpp"

namespace ndt::harness {

/// "file: where: what; advice". `where` may be empty; the file name is printed as given.
InputError refusal(std::string_view file, std::string_view where, std::string_view what, std::string_view advice);

/// Advice about files that hold less than they declare.
inline constexpr std::string_view kCutOff = "the file is cut off or its header is wrong, export the cloud again";

/// Text from a file made fit for one line of a terminal: control and non-ASCII bytes as \xHH, cut after `shown` bytes.
std::string printable(std::string_view text, std::size_t shown = 40);

/// A file name with its control characters as \xHH; UTF-8 stays as it is.
std::string printable_name(std::string_view name);

}  // namespace ndt::harness
