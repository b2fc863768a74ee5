// Passing over the elements in front of the one that is wanted. Nothing is kept, so nothing is allocated.
#pragma once

#include <bit>

#include "io/byte_source.hpp"
#include "io/ply_header.hpp"
#include "io/text_words.hpp"

namespace ndt::harness {

/// Both throw ndt::InputError for lists whose length does not fit the file; text has to be numbers, too.
void skip_ply_records(ByteSource& source, const PlyElement& element, std::endian order);
void skip_ply_rows(TextWords& words, const PlyElement& element);

}  // namespace ndt::harness
