// Poses as people type them.
#pragma once

#include <string_view>

#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// "x,y,z,roll,pitch,yaw" (metres, radians, R = Rx Ry Rz) or 16 numbers of a row-major rigid 4x4, map_from_scan, separated
/// by commas and/or blanks. Throws std::invalid_argument, usually a UsageError, that names `option`, the number's position
/// and its text.
Transform parse_transform(std::string_view text, std::string_view option);

}  // namespace ndt::harness
