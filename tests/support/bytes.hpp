// Values as the bytes of a file, and clouds compared bit by bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// The bytes of values, one after the other.
template <class... T>
std::string bytes_of(const T&... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

/// The points (1, 2, 3) and (4, 5, 6) as the body of a binary file.
inline const std::string kTwoPoints = bytes_of(1.f, 2.f, 3.f, 4.f, 5.f, 6.f);

/// Values of one width turned round.
inline std::string big_endian(std::string bytes, std::size_t width) {
  for (std::size_t at = 0; at < bytes.size(); at += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
  return bytes;
}

inline bool same_bits(const std::vector<Point>& a, const std::vector<Point>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Point)) == 0);
}

}  // namespace ndt::harness
