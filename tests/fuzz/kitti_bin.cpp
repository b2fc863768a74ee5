// Any bytes as a KITTI scan, and as one of 3, 5 or 6 values a point.
#include "clouds.hpp"
#include "ndt/io/cloud_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  fuzz::read_write_read(
      data, size,
      [](const auto& file, harness::CloudInfo* info) { return harness::read_kitti_bin(file, info); },
      harness::write_kitti_bin);
  static fuzz::MemoryFile file;
  for (const int fields : {3, 5, 6})
    if (const auto cloud = fuzz::read_file_or_refuse(
            [&] { return harness::read_kitti_bin(file.with(data, size), nullptr, fields); }))
      fuzz::require(cloud->size() * static_cast<std::size_t>(fields) * sizeof(float) == size,
                    "points are lost");
  return 0;
}
