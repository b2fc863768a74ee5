// Any bytes as a TUM trajectory. What is read comes back: times and positions bit for bit, rotations as far
// as write_tum promises.
#include <cmath>

#include "base/io_names.hpp"
#include "fuzzing.hpp"
#include "ndt/io/trajectory.hpp"

namespace {

using namespace ndt;

void require_same(const harness::StampedTransform& a, const harness::StampedTransform& b) {
  constexpr double kRotation = 2e-15;
  fuzz::require(a.time_s == b.time_s, "a time does not come back");
  for (int i = 0; i < 12; ++i) {
    const double x = a.map_from_body.m[i], y = b.map_from_body.m[i];
    fuzz::require(i % 4 == 3 ? x == y : std::abs(x - y) <= kRotation, "a pose does not come back");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file, copy;
  const auto poses = fuzz::read_file_or_refuse([&] { return harness::read_tum(file.with(data, size)); });
  if (!poses) return 0;
  harness::write_tum(copy.path(), *poses);
  const auto again = harness::read_tum(copy.path());
  fuzz::require(again.size() == poses->size(), "a pose is lost");
  for (std::size_t i = 0; i < again.size(); ++i) require_same((*poses)[i], again[i]);
  return 0;
}
