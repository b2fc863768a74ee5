// Any bytes as a PCD file. What is read can be written, and comes back bit for bit.
#include "ndt/harness/io/pcd.hpp"

#include "bytes.hpp"
#include "fuzzing.hpp"

namespace {

using namespace ndt;

/// Clouds with an origin are rounded to float32 once more around the origin that the reader finds.
void require_round_trip(const PointCloud& cloud, harness::PcdEncoding encoding) {
  static fuzz::MemoryFile file;
  harness::write_pcd(file.path(), cloud, encoding);
  fuzz::require(harness::same_bits(harness::read_pcd(file.path()).points, cloud.points), "a cloud does not come back");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  harness::CloudInfo info;
  const auto cloud = fuzz::read_file_or_refuse([&] { return harness::read_pcd(file.with(data, size), &info); });
  if (!cloud) return 0;
  fuzz::require(info.trailing_bytes <= size, "more bytes are left than there were");
  const Vec3<double>& origin = cloud->origin;
  if (origin.x != 0 || origin.y != 0 || origin.z != 0) return 0;
  require_round_trip(*cloud, size % 2 ? harness::PcdEncoding::binary : harness::PcdEncoding::binary_compressed);
  return 0;
}
