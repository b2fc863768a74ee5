// How the points of a file are laid out, whatever its format.
#pragma once

#include <array>
#include <cstdint>

namespace ndt::harness {

/// Where x, y or z is found: a float of 4 or 8 bytes.
struct CoordinatePlace {
  std::uint64_t offset = 0;  ///< bytes before it in a record
  std::uint64_t column = 0;  ///< numbers before it in a row of text
  std::uint64_t bytes = 4;
};

struct PointLayout {
  std::array<CoordinatePlace, 3> xyz;
  std::uint64_t points = 0;        ///< <= Limits::kPoints
  std::uint64_t record_bytes = 0;  ///< of one point, all fields; <= Limits::kRecordBytes
  std::uint64_t columns = 0;       ///< numbers per row of text

  /// At most 2^47: no overflow within the limits.
  std::uint64_t body_bytes() const { return points * record_bytes; }
  bool all_float32() const { return xyz[0].bytes == 4 && xyz[1].bytes == 4 && xyz[2].bytes == 4; }
};

}  // namespace ndt::harness
