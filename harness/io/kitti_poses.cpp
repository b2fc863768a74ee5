#include <fmt/format.h>

#include <algorithm>

#include "io/cloud_output.hpp"
#include "io/trajectory.hpp"
#include "io/trajectory_rows.hpp"

namespace ndt::harness {

std::vector<Transform> read_kitti_poses(const std::filesystem::path& file) {
  ByteSource source(file);
  TextWords words(source);
  std::vector<Transform> poses;
  for (std::array<double, 12> row; read_numbers(words, row);) {
    if (words.line() != poses.size() + 1)
      throw words.refused("a blank line before it; line n has to be frame n", "remove the blank line");
    require_room(words, poses.size());
    Transform& pose = poses.emplace_back();
    std::ranges::copy(row, pose.m);
    if (const std::string why = rigid_defect(pose); !why.empty()) throw words.refused("not a rigid transform: " + why);
  }
  require_poses(source, poses.size());
  return poses;
}

void write_kitti_poses(const std::filesystem::path& file, std::span<const Transform> map_from_body) {
  require_writable(file, "write_kitti_poses", map_from_body.size());
  for (const Transform& pose : map_from_body) require_rigid(pose, "write_kitti_poses");
  write_file(file, [&](std::ostream& out) {
    for (const Transform& pose : map_from_body)
      for (int i = 0; i < 12; ++i) out << fmt::format("{}{}", pose.m[i], i == 11 ? '\n' : ' ');
  });
}

}  // namespace ndt::harness
