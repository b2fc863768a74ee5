// Any bytes as a point cloud.
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

/// A KITTI scan, and one of 3, 5 or 6 values a point.
void kitti_bin(const std::uint8_t* data, std::size_t size) {
  read_write_read(
      data, size,
      [](const auto& file, harness::CloudInfo* info) { return harness::read_kitti_bin(file, info); },
      harness::write_kitti_bin);
  static MemoryFile file;
  for (const int fields : {3, 5, 6})
    if (const auto cloud = read_file_or_refuse(
            [&] { return harness::read_kitti_bin(file.with(data, size), nullptr, fields); }))
      require(cloud->size() * static_cast<std::size_t>(fields) * sizeof(float) == size, "points are lost");
}

/// A PCD file, and the times of its points.
void pcd(const std::uint8_t* data, std::size_t size) {
  const bool packed = NDT_HAVE_LZF && size % 2 == 0;
  const auto encoding = packed ? harness::PcdEncoding::binary_compressed : harness::PcdEncoding::binary;
  read_write_read(data, size, harness::read_pcd, [&](const auto& file, const PointCloud& cloud) {
    harness::write_pcd(file, cloud, encoding);
  });
  static MemoryFile file;
  const auto times = read_file_or_refuse([&] { return harness::read_point_times(file.with(data, size)); });
  require(!times || !times->field.empty() || times->values.empty(), "times of no field");
}

/// A PLY file.
void ply(const std::uint8_t* data, std::size_t size) {
  const auto encoding =
      size % 2 ? harness::PlyEncoding::binary_little_endian : harness::PlyEncoding::binary_big_endian;
  read_write_read(data, size, harness::read_ply, [&](const auto& file, const PointCloud& cloud) {
    harness::write_ply(file, cloud, encoding);
  });
}

}  // namespace ndt::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ndt::fuzz::NDT_FUZZ_READER(data, size);
  return 0;
}
