// How messages about files that cannot be used are formed.
#pragma once

#include <string>
#include <string_view>

#include "ndt/core/error.hpp"
#include "ndt/core/printable.hpp"

namespace ndt::io {

/// Forms every message about an unusable file: "file: where: what; advice". `where` may be empty; the file
/// name is printed as given.
InputError refusal(std::string_view file, std::string_view where, std::string_view what,
                   std::string_view advice);

/// Advice about files that are shorter than their header declares.
inline constexpr std::string_view kCutOff =
    "the file is cut off or its header is wrong, export the cloud again";

using ndt::printable;

/// Escapes the control characters of a file name as \xHH; UTF-8 stays. Of more than 500 bytes only the
/// beginning and the end are shown.
std::string printable_name(std::string_view name);

}  // namespace ndt::io
