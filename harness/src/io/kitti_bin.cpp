#include "ndt/harness/io/kitti_bin.hpp"

#include <stdexcept>

namespace ndt::harness {

PointCloud read_kitti_bin(const std::filesystem::path&, CloudInfo*) {
  throw std::logic_error("read_kitti_bin: not yet");
}
void write_kitti_bin(const std::filesystem::path&, const PointCloud&) {
  throw std::logic_error("write_kitti_bin: not yet");
}

}  // namespace ndt::harness
