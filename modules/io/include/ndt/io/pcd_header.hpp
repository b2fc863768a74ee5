// The header of a PCD file, checked for consistency. The readers of the body compare its size with the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/points.hpp"

namespace ndt::io {

struct PcdHeader {
  PointLayout layout;
  PcdEncoding data = PcdEncoding::binary;
  std::uint64_t lines = 0;              ///< the header's own; the body begins on the next
  std::optional<CoordinatePlace> time;  ///< of the field that tells when points were measured
  std::string time_field;               ///< its name
};

/// Reads up to and including the DATA line. Throws ndt::InputError.
PcdHeader read_pcd_header(ByteSource& source);

}  // namespace ndt::io
