// Any text as the pose of --guess and of --guess-ros: what is accepted is a rigid transform.
#include <stdexcept>

#include "base/io_names.hpp"
#include "fuzzing.hpp"
#include "ndt/io/numbers.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ndt;
  const auto transform = fuzz::read_or_refuse<std::invalid_argument>(
      [&] { return harness::parse_transform(fuzz::text(data, size), "--guess"); });
  if (transform) require_rigid(*transform, "the transform of an accepted text");
  const auto of_ros = fuzz::read_or_refuse<std::invalid_argument>(
      [&] { return harness::parse_ros_pose(fuzz::text(data, size), "--guess-ros"); });
  if (of_ros) require_rigid(*of_ros, "the transform of an accepted text of ROS");
  return 0;
}
