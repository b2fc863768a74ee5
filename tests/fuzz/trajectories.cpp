// Any bytes as poses or as twists. What is read comes back.
#include <cmath>
#include <cstring>

#include "base/io_names.hpp"
#include "fuzzing.hpp"
#include "io/rate_file.hpp"
#include "ndt/io/trajectory.hpp"

namespace ndt::fuzz {

/// KITTI poses, which come back bit for bit.
void kitti_poses(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file, copy;
  const auto poses = read_file_or_refuse([&] { return harness::read_kitti_poses(file.with(data, size)); });
  if (!poses) return;
  harness::write_kitti_poses(copy.path(), *poses);
  const auto again = harness::read_kitti_poses(copy.path());
  require(again.size() == poses->size(), "a pose is lost");
  for (std::size_t i = 0; i < again.size(); ++i)
    require(std::memcmp((*poses)[i].m, again[i].m, sizeof again[i].m) == 0, "a pose does not come back");
}

void require_same(const harness::StampedTransform& a, const harness::StampedTransform& b) {
  constexpr double kRotation = 2e-15;
  require(a.time_s == b.time_s, "a time does not come back");
  for (int i = 0; i < 12; ++i) {
    const double x = a.map_from_body.m[i], y = b.map_from_body.m[i];
    require(i % 4 == 3 ? x == y : std::abs(x - y) <= kRotation, "a pose does not come back");
  }
}

/// A TUM trajectory: times and positions come back bit for bit, rotations as far as write_tum promises.
void tum(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file, copy;
  const auto poses = read_file_or_refuse([&] { return harness::read_tum(file.with(data, size)); });
  if (!poses) return;
  harness::write_tum(copy.path(), *poses);
  const auto again = harness::read_tum(copy.path());
  require(again.size() == poses->size(), "a pose is lost");
  for (std::size_t i = 0; i < again.size(); ++i) require_same((*poses)[i], again[i]);
}

bool same(const Vec3<double>& a, const Vec3<double>& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// A file of twists, which come back bit for bit.
void rates(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file, copy;
  read_file_or_refuse([&] { return harness::read_imu(file.with(data, size)); });
  const auto twists = read_file_or_refuse([&] { return harness::read_twists(file.with(data, size)); });
  if (!twists) return;
  harness::write_twists(copy.path(), *twists);
  const auto again = harness::read_twists(copy.path());
  require(again.size() == twists->size(), "a measurement is lost");
  for (std::size_t i = 0; i < again.size(); ++i) {
    const localization::StampedTwist &a = again[i], &b = (*twists)[i];
    require(a.stamp_s == b.stamp_s && same(a.twist.linear, b.twist.linear) &&
                same(a.twist.angular, b.twist.angular),
            "a measurement does not come back");
  }
}

}  // namespace ndt::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ndt::fuzz::NDT_FUZZ_READER(data, size);
  return 0;
}
