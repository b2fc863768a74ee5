// Any bytes as a PCD file.
#include "clouds.hpp"
#include "ndt/io/cloud_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  const bool packed = NDT_HAVE_LZF && size % 2 == 0;
  const auto encoding = packed ? harness::PcdEncoding::binary_compressed : harness::PcdEncoding::binary;
  fuzz::read_write_read(data, size, harness::read_pcd, [&](const auto& file, const PointCloud& cloud) {
    harness::write_pcd(file, cloud, encoding);
  });
  static fuzz::MemoryFile file;
  const auto times =
      fuzz::read_file_or_refuse([&] { return harness::read_point_times(file.with(data, size)); });
  fuzz::require(!times || !times->field.empty() || times->values.empty(), "times of no field");
  return 0;
}
