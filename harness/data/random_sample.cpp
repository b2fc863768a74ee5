#include <algorithm>
#include <cstdint>
#include <random>

#include "data/preparation.hpp"

namespace ndt::harness {
namespace {

/// Uniform in [0, n). The standard fixes the generator's numbers, but not what std::uniform_int_distribution
/// makes of them.
std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t n) {
  std::uint64_t drawn = random();
  if (drawn < n) {  // seldom, and only then can it be one of the 2^64 mod n draws that are refused,
    const std::uint64_t surplus = (0 - n) % n;  // so that no remainder comes up more often
    while (drawn < surplus) drawn = random();
  }
  return drawn % n;
}

}  // namespace

// Selection sampling [Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S].
std::vector<Point> random_sample(const std::vector<Point>& points, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uint64_t left = points.size();
  std::uint64_t wanted = std::min(left, static_cast<std::uint64_t>(count));
  std::vector<Point> sample;
  sample.reserve(wanted);
  for (const Point& point : points) {
    if (draw_below(random, left--) >= wanted) continue;
    sample.push_back(point);
    --wanted;
  }
  return sample;
}

}  // namespace ndt::harness
