// Any bytes as KITTI poses. What is read comes back bit for bit.
#include <cstring>

#include "base/io_names.hpp"
#include "fuzzing.hpp"
#include "ndt/io/trajectory.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  static fuzz::MemoryFile file, copy;
  const auto poses =
      fuzz::read_file_or_refuse([&] { return harness::read_kitti_poses(file.with(data, size)); });
  if (!poses) return 0;
  harness::write_kitti_poses(copy.path(), *poses);
  const auto again = harness::read_kitti_poses(copy.path());
  fuzz::require(again.size() == poses->size(), "a pose is lost");
  for (std::size_t i = 0; i < again.size(); ++i)
    fuzz::require(std::memcmp((*poses)[i].m, again[i].m, sizeof again[i].m) == 0,
                  "a pose does not come back");
  return 0;
}
