// A scan's file with the times of its points.
#pragma once

#include <array>
#include <filesystem>

#include "ndt/core/enum_names.hpp"
#include "ndt/io/clouds.hpp"

namespace ndt::harness {

/// Reads as read_cloud does, and the times of a PCD file (io::read_point_times) in seconds. Their unit is the
/// one in which the sweep takes 5 to 500 ms, or else s. Times that are not near 0 count from the first.
PointCloud read_scan(const std::filesystem::path& file, io::BinFields fields);

/// The part of a sweep that a scan's stamp belongs to.
enum class StampAt {
  as_written,  ///< where the times are 0
  start,
  middle,
  end
};
constexpr auto enum_names(StampAt) { return std::array{"as_written", "start", "middle", "end"}; }
using ndt::to_string;

/// Moves the times of the points, if there are any.
void set_stamp(PointCloud& scan, StampAt at);

}  // namespace ndt::harness
