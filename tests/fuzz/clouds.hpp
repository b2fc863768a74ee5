// The code that fuzz targets of point clouds share.
#pragma once

#include "base/io_names.hpp"
#include "bytes.hpp"
#include "fuzzing.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::fuzz {

/// Reads the bytes; a cloud of float32 coordinates that is accepted comes back bit for bit from what `write`
/// makes of it. One with an origin is rounded once more, around the origin that is found then.
template <class Read, class Write>
void read_write_read(const std::uint8_t* data, std::size_t size, Read read, Write write) {
  static MemoryFile file, copy;
  harness::CloudInfo info;
  const auto cloud = read_file_or_refuse([&] { return read(file.with(data, size), &info); });
  if (!cloud) return;
  require(info.trailing_bytes <= size, "more bytes are left than there were");
  if (cloud->origin.x != 0 || cloud->origin.y != 0 || cloud->origin.z != 0) return;
  write(copy.path(), *cloud);
  require(harness::same_bits(read(copy.path(), nullptr).points, cloud->points), "a cloud does not come back");
}

}  // namespace ndt::fuzz
