#include "data/same_points.hpp"

#include <bit>
#include <cstdint>
#include <unordered_map>

namespace ndt::harness {
namespace {

struct Bits {
  std::uint32_t x, y, z;
  explicit Bits(const Vec3<double>& p)
      : x(std::bit_cast<std::uint32_t>(static_cast<float>(p.x) + 0.0F)),
        y(std::bit_cast<std::uint32_t>(static_cast<float>(p.y) + 0.0F)),
        z(std::bit_cast<std::uint32_t>(static_cast<float>(p.z) + 0.0F)) {}
  friend bool operator==(const Bits&, const Bits&) = default;
};
struct Hash {
  std::size_t operator()(const Bits& b) const {
    return ((std::uint64_t{b.x} << 32 | b.y) ^ std::uint64_t{b.z} << 16) * 0x9E3779B97F4A7C15U >> 8;
  }
};

struct Seen {
  std::size_t points = 0;  ///< of the scan
  bool in_map = false;
};

}  // namespace

double share_of_same_points(const PointCloud& map, const PointCloud& scan, const Transform& map_from_scan) {
  const Mat3<double> turn = rotation_of(map_from_scan);
  const Vec3<double> shift = translation_of(map_from_scan);
  std::unordered_map<Bits, Seen, Hash> moved;
  std::size_t finite = 0, same = 0;
  for (const Point& p : scan.points) {
    if (!is_finite(p)) continue;
    ++finite;
    ++moved[Bits(turn * (scan.origin + cast<double>(p)) + shift)].points;
  }
  for (const Point& p : map.points)
    if (const auto found = moved.find(Bits(map.origin + cast<double>(p))); found != moved.end())
      found->second.in_map = true;
  for (const auto& [bits, seen] : moved)
    if (seen.in_map) same += seen.points;
  return finite > 0 ? static_cast<double>(same) / static_cast<double>(finite) : 0;
}

}  // namespace ndt::harness
