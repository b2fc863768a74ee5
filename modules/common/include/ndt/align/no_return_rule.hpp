// Parts of find_no_returns() that every schedule shares.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ndt/align/no_returns.hpp"
#include "ndt/core/workers.hpp"

namespace ndt {

inline constexpr unsigned kCopyBuckets = 4096;

/// Facts about a part of a scan's points.
struct NoReturnFacts {
  std::size_t finite = 0, of_value = 0;              ///< points; those whose own value tells a cause
  std::array<std::uint32_t, kCopyBuckets> filled{};  ///< points in each bucket, of those that are left
};
/// The facts that find_no_returns() gathers; kept from scan to scan.
struct NoReturnMemory {
  std::vector<NoReturn> causes;         ///< of every point
  std::vector<double> largest_squares;  ///< of ranges in a block of points; negative if none is left
  std::vector<NoReturnFacts> facts;     ///< of parts
};
/// Finds the causes into memory.causes, and tells whether there are any.
bool find_no_returns(const PointCloud& scan, NoReturnMemory& memory, const Workers& workers = {});

inline constexpr double kSameRange_m = 0.001;

/// More than one in 100, and enough to be no coincidence.
NDT_HD constexpr bool are_many(std::uint64_t count, std::uint64_t finite) {
  return count >= 5 && 100 * count > finite;
}

/// The cause that a finite point's own value tells, or none. p: in the scanner's frame.
NDT_HD inline NoReturn no_return_of_value(const Vec3<double>& p) {
  constexpr double kHuge_m = 1e7;
  if (p.x == 0 && p.y == 0 && p.z == 0) return NoReturn::zero;
  const double x = fabs(p.x), y = fabs(p.y), z = fabs(p.z);
  if (x >= kHuge_m || y >= kHuge_m || z >= kHuge_m) return NoReturn::sentinel;
  const bool same = p.x == p.y && p.y == p.z;
  return same && (x == 9999 || x == 99999) ? NoReturn::sentinel : NoReturn::none;
}

/// The bits of a point's coordinates, with one zero for both.
struct PointBits {
  std::uint32_t x, y, z;
  explicit NDT_HD PointBits(const Point& p) : x(bits(p.x)), y(bits(p.y)), z(bits(p.z)) {}
  friend bool operator==(const PointBits&, const PointBits&) = default;

  NDT_HD std::uint64_t hash() const {
    const std::uint64_t xy = (std::uint64_t{x} << 32 | y) * 0x9E3779B97F4A7C15U;
    return (xy ^ z ^ xy >> 29) * 0xBF58476D1CE4E5B9U >> 17;
  }

 private:
  NDT_HD static std::uint32_t bits(float v) {
#if defined(__CUDA_ARCH__)
    return __float_as_uint(v + 0.0F);
#else
    return std::bit_cast<std::uint32_t>(v + 0.0F);
#endif
  }
};

}  // namespace ndt
