// Any bytes as a PCD file.
#include "ndt/harness/io/pcd.hpp"

#include "clouds.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  const auto encoding = size % 2 ? harness::PcdEncoding::binary : harness::PcdEncoding::binary_compressed;
  fuzz::read_write_read(data, size, harness::read_pcd,
                        [&](const auto& file, const PointCloud& cloud) { harness::write_pcd(file, cloud, encoding); });
  return 0;
}
