// Whether a file without a header holds records of so many floats.
#pragma once

#include <cstddef>
#include <filesystem>

namespace ndt::io {

/// Throws InputError for a file whose values repeat with another width than `fields` float32 (3 to 6). Throws
/// it also if the fourth value of four is a coordinate. The message names the width that it looks like. A
/// file of few points passes, and so does one whose values say nothing about its width or repeat with a
/// divisor of `fields`.
void require_records_of(std::size_t fields, const std::filesystem::path& file);

}  // namespace ndt::io
