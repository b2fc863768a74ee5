// Whether a file without a header holds records of so many floats.
#pragma once

#include <cstddef>
#include <filesystem>

namespace ndt::io {

/// Refuses a file whose values repeat with another width than `fields` float32 (3 to 6), or, of four, whose
/// fourth value is a coordinate; the message names the width that it looks like. A file of few points, or one
/// whose values say nothing about its width, passes, and so does one that repeats with a divisor of `fields`.
/// Throws InputError.
void require_records_of(std::size_t fields, const std::filesystem::path& file);

}  // namespace ndt::io
