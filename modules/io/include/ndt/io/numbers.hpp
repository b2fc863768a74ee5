// Numbers in text, independent of the locale: single words, lists and poses.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::io {

/// Parses a word of decimal digits; nothing for signs, blanks, or more than 64 bits.
std::optional<std::uint64_t> parse_whole_number(std::string_view word);

enum class RealFault { none, not_a_number, out_of_range };

template <class T>
struct Real {
  T value = 0;
  RealFault fault = RealFault::none;
};

/// Parses a whole word: decimal numbers, and nan, inf, infinity in any case, also as Windows writes them
/// (-nan(ind), 1.#QNAN); a leading + is allowed. A number too small for T becomes the nearest T (often 0),
/// one too large is out_of_range. T is float or double.
template <class T>
Real<T> parse_real(std::string_view word);

/// Parses numbers separated by commas and/or blanks. Throws std::invalid_argument that names `option`, the
/// number's position and its text.
std::vector<double> parse_numbers(std::string_view text, std::string_view option);

/// Parses "x,y,z,roll,pitch,yaw" (metres, radians, R = Rx Ry Rz) or 16 numbers of a row-major rigid 4x4,
/// map_from_scan, separated by commas and/or blanks. Throws std::invalid_argument that
/// names `option`, the number's position and its text.
Transform parse_transform(std::string_view text, std::string_view option);

/// Parses a pose as ROS writes it, map_from_scan: "x,y,z,qx,qy,qz,qw" or "x,y,z,roll,pitch,yaw", in metres.
/// The quaternion has length 1 within Limits::kQuaternionNorm. The angles are of fixed axes in radians,
/// R = Rz(yaw) Ry(pitch) Rx(roll). Throws as parse_transform does.
Transform parse_ros_pose(std::string_view text, std::string_view option);

}  // namespace ndt::io
