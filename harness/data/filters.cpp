
#include <algorithm>
#include <cmath>
#include <compare>
#include <random>

#include "data/preparation.hpp"

namespace ndt::harness {
namespace {

/// A point and its leaf. Leaf numbers stay doubles: whole numbers of any size, so no coordinate is too far
/// away.
struct InLeaf {
  double z, y, x;
  std::size_t point;

  bool shares_leaf(const InLeaf& other) const { return z == other.z && y == other.y && x == other.x; }
  auto operator<=>(const InLeaf&) const = default;
};

std::vector<InLeaf> in_leaf_order(const PointCloud& cloud, double leaf_m) {
  std::vector<InLeaf> order;
  order.reserve(cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<double> p = cloud.origin + cast<double>(cloud.points[i]);
    order.push_back({std::floor(p.z / leaf_m), std::floor(p.y / leaf_m), std::floor(p.x / leaf_m), i});
  }
  std::ranges::sort(order);
  return order;
}

/// Uniform in [0, n). The standard fixes the generator's numbers, but not what std::uniform_int_distribution
/// makes of them.
std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t n) {
  const std::uint64_t surplus =
      (0 - n) % n;  // 2^64 mod n draws, refused so that no remainder comes up more often
  std::uint64_t drawn = random();
  while (drawn < surplus) drawn = random();
  return drawn % n;
}

}  // namespace

std::vector<Point> leaf_centroids(const PointCloud& cloud, double leaf_m) {
  const std::vector<InLeaf> order = in_leaf_order(cloud, leaf_m);
  std::vector<Point> centroids;
  for (auto first = order.begin(); first != order.end();) {
    auto last = first;
    Vec3<double> sum;
    for (; last != order.end() && last->shares_leaf(*first); ++last)
      sum = sum + cast<double>(cloud.points[last->point]);
    const double n = static_cast<double>(last - first);
    centroids.push_back(cast<float>(Vec3<double>{sum.x / n, sum.y / n, sum.z / n}));
    first = last;
  }
  return centroids;
}

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
