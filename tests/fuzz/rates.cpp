// Any bytes as a file of twists. The measurements that are read come back bit for bit.
#include "fuzzing.hpp"
#include "io/rate_file.hpp"

namespace {

bool same(const ndt::Vec3<double>& a, const ndt::Vec3<double>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  static fuzz::MemoryFile file, copy;
  fuzz::read_file_or_refuse([&] { return harness::read_imu(file.with(data, size)); });
  const auto twists = fuzz::read_file_or_refuse([&] { return harness::read_twists(file.with(data, size)); });
  if (!twists) return 0;
  harness::write_twists(copy.path(), *twists);
  const auto again = harness::read_twists(copy.path());
  fuzz::require(again.size() == twists->size(), "a measurement is lost");
  for (std::size_t i = 0; i < again.size(); ++i) {
    const localization::StampedTwist &a = again[i], &b = (*twists)[i];
    fuzz::require(a.stamp_s == b.stamp_s && same(a.twist.linear, b.twist.linear) &&
                      same(a.twist.angular, b.twist.angular),
                  "a measurement does not come back");
  }
  return 0;
}
