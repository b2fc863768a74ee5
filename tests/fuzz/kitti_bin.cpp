// Any bytes as a KITTI scan.
#include "clouds.hpp"
#include "io/cloud_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  fuzz::read_write_read(data, size, harness::read_kitti_bin, harness::write_kitti_bin);
  return 0;
}
