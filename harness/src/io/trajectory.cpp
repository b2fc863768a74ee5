#include "ndt/harness/io/trajectory.hpp"

#include <stdexcept>

namespace ndt::harness {

std::vector<StampedTransform> read_tum(const std::filesystem::path&, TrajectoryInfo*) {
  throw std::logic_error("read_tum: not yet");
}
void write_tum(const std::filesystem::path&, std::span<const StampedTransform>) {
  throw std::logic_error("write_tum: not yet");
}
std::vector<Transform> read_kitti_poses(const std::filesystem::path&) {
  throw std::logic_error("read_kitti_poses: not yet");
}
void write_kitti_poses(const std::filesystem::path&, std::span<const Transform>) {
  throw std::logic_error("write_kitti_poses: not yet");
}

}  // namespace ndt::harness
