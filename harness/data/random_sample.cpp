#include "data/random_sample.hpp"

#include <algorithm>
#include <random>

namespace ndt::harness {
namespace {

/// Uniform in [0, n). The standard fixes the generator's numbers, but not what std::uniform_int_distribution makes of them.
std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t n) {
  const std::uint64_t surplus = (0 - n) % n;  // 2^64 mod n draws, refused so that no remainder comes up more often
  std::uint64_t drawn = random();
  while (drawn < surplus) drawn = random();
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
