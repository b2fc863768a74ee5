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

// Selection sampling [Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S].
template <class Value>
std::vector<Value> sample_of(const std::vector<Value>& values, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uint64_t left = values.size();
  std::uint64_t wanted = std::min(left, static_cast<std::uint64_t>(count));
  std::vector<Value> sample;
  sample.reserve(wanted);
  for (const Value& value : values) {
    if (draw_below(random, left--) >= wanted) continue;
    sample.push_back(value);
    --wanted;
  }
  return sample;
}

}  // namespace

std::vector<Point> random_sample(const std::vector<Point>& points, std::int64_t count, std::uint64_t seed) {
  return sample_of(points, count, seed);
}

std::vector<float> random_sample(const std::vector<float>& times, std::int64_t count, std::uint64_t seed) {
  return sample_of(times, count, seed);
}

}  // namespace ndt::harness
