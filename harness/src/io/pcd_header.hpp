// The text in front of a PCD body, checked in itself. Whether the body is as long as it says is the body reader's question.
#pragma once

#include <array>
#include <cstdint>

#include "byte_source.hpp"
#include "ndt/harness/io/pcd.hpp"

namespace ndt::harness {

/// Where x, y or z is found: a float of 4 or 8 bytes.
struct PcdCoordinate {
  std::uint64_t offset = 0;  ///< bytes before it in a record
  std::uint64_t column = 0;  ///< numbers before it in a row of text
  std::uint64_t bytes = 4;
};

struct PcdHeader {
  std::array<PcdCoordinate, 3> xyz;
  std::uint64_t points = 0;        ///< <= ReadLimits::kPoints
  std::uint64_t record_bytes = 0;  ///< of one point, all fields; <= ReadLimits::kRecordBytes
  std::uint64_t columns = 0;       ///< numbers per row of text
  PcdEncoding data = PcdEncoding::binary;
  std::uint64_t lines = 0;  ///< the header's own; the body begins on the next

  /// At most 2^47: no overflow within the limits.
  std::uint64_t body_bytes() const { return points * record_bytes; }
};

/// Reads up to and including the DATA line. Throws ndt::InputError.
PcdHeader read_pcd_header(ByteSource& source);

}  // namespace ndt::harness
