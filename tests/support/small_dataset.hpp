// The files of a dataset, without its dataset.toml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/io_names.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/trajectory.hpp"

namespace ndt::harness {

/// Three scans whose first points are (1, 0, 0), (2, 0, 0), (3, 0, 0), a map, and poses 10 m apart along x.
inline void write_small_dataset(const std::filesystem::path& folder) {
  std::vector<StampedTransform> poses;
  for (int k = 0; k < 3; ++k) {
    const auto first = static_cast<float>(k + 1);
    write_pcd(folder / ("00" + std::to_string(k) + ".pcd"),
              {{}, {{first, 0, 0}, {first, 0, 0.1f}, {20, 0, 0}}});
    poses.push_back({k + 0.5, to_transform(Pose{10.0 * k, 0, 0, 0, 0, 0.1 * k})});
  }
  write_pcd(folder / "map.pcd", {{}, {{5, 5, 5}}});
  write_tum(folder / "poses.tum", poses);
}

}  // namespace ndt::harness
