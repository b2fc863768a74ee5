#include "base/transform_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "base/number_list.hpp"

namespace ndt::harness {

Transform parse_transform(std::string_view text, std::string_view option) {
  const std::vector<double> v = parse_numbers(text, option);
  if (v.size() == 6) return to_transform(Pose{v[0], v[1], v[2], v[3], v[4], v[5]});
  if (v.size() != 16)
    throw UsageError(
        fmt::format("{}: {} numbers; give 6 (x,y,z,roll,pitch,yaw in metres and radians) or 16 (a 4x4 matrix, "
                    "row by row)",
                    option, v.size()));
  Transform transform;
  std::ranges::copy(v, transform.m);
  require_rigid(transform, std::string(option).c_str());
  return transform;
}

}  // namespace ndt::harness
