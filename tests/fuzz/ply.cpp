// Any bytes as a PLY file.
#include "clouds.hpp"
#include "ndt/io/cloud_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  const auto encoding =
      size % 2 ? harness::PlyEncoding::binary_little_endian : harness::PlyEncoding::binary_big_endian;
  fuzz::read_write_read(data, size, harness::read_ply, [&](const auto& file, const PointCloud& cloud) {
    harness::write_ply(file, cloud, encoding);
  });
  return 0;
}
