// Whether a file without a header holds records of four floats.
#pragma once

#include <filesystem>

namespace ndt::harness {

/// Refuses a file whose values repeat with another width than four float32, or whose fourth value is a
/// coordinate; the message names the width that it looks like. A file of few points, or one whose values say
/// nothing about its width, passes. Throws InputError.
void require_records_of_four(const std::filesystem::path& file);

}  // namespace ndt::harness
