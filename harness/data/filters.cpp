
#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "data/preparation.hpp"

namespace ndt::harness {
namespace {

/// A point and its leaf. Leaf numbers stay doubles: whole numbers of any size, so no coordinate is too far
/// away.
struct InLeaf {
  double z, y, x;
  std::size_t point;

  auto operator<=>(const InLeaf&) const = default;
};

/// A point and a number of its leaf. Leaves in their order have increasing numbers.
struct Numbered {
  std::uint64_t leaf;
  std::size_t point;
};

/// The leaf of a place.
Vec3<double> leaf_of(const Vec3<double>& p, double leaf_m) {
  return {std::floor(p.x / leaf_m), std::floor(p.y / leaf_m), std::floor(p.z / leaf_m)};
}

Vec3<double> place_of(const PointCloud& cloud, const Point& point) {
  return cloud.origin + cast<double>(point);
}

/// Sorts by a digit of eleven bits after the other, the last digit first, so that points of a leaf stay in
/// their order [Knuth, The Art of Computer Programming 3, 5.2.5, algorithm R].
void sort_by_digits(std::vector<Numbered>& points, std::uint64_t largest) {
  constexpr int kBits = 11;
  constexpr std::uint64_t kDigit = (1u << kBits) - 1;
  std::vector<Numbered> sorted(points.size());
  for (int shift = 0; largest >> shift != 0; shift += kBits) {  // at most 53 bits
    std::array<std::size_t, kDigit + 2> start{};
    for (const Numbered& p : points) ++start[(p.leaf >> shift & kDigit) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (const Numbered& p : points) sorted[start[p.leaf >> shift & kDigit]++] = p;
    points.swap(sorted);
  }
}

/// The lowest and the highest leaf on each axis.
std::pair<Vec3<double>, Vec3<double>> box_of_leaves(const PointCloud& cloud, double leaf_m) {
  Vec3<double> low = place_of(cloud, cloud.points.front()), high = low;
  for (const Point& point : cloud.points) {
    const Vec3<double> p = place_of(cloud, point);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return {leaf_of(low, leaf_m), leaf_of(high, leaf_m)};
}

/// Numbers the leaves of the box that holds them all. Returns nothing where the box has too many for that.
std::optional<std::vector<Numbered>> numbered_in_box(const PointCloud& cloud, double leaf_m) {
  const auto [low, high] = box_of_leaves(cloud, leaf_m);
  const Vec3<double> size = high - low + Vec3<double>{1, 1, 1};
  const double leaves = size.x * size.y * size.z;
  if (!(leaves <= 0x1p52)) return std::nullopt;  // a double holds every such number
  std::vector<Numbered> numbered;
  numbered.reserve(cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<double> leaf = leaf_of(place_of(cloud, cloud.points[i]), leaf_m) - low;
    numbered.push_back({static_cast<std::uint64_t>((leaf.z * size.y + leaf.y) * size.x + leaf.x), i});
  }
  sort_by_digits(numbered, static_cast<std::uint64_t>(leaves));
  return numbered;
}

std::vector<Numbered> numbered_as_sorted(const PointCloud& cloud, double leaf_m) {
  std::vector<InLeaf> points;
  points.reserve(cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<double> leaf = leaf_of(place_of(cloud, cloud.points[i]), leaf_m);
    points.push_back({leaf.z, leaf.y, leaf.x, i});
  }
  std::ranges::sort(points);
  std::vector<Numbered> numbered;
  numbered.reserve(points.size());
  const InLeaf* before = nullptr;
  for (const InLeaf& p : points) {
    const bool same = before && before->z == p.z && before->y == p.y && before->x == p.x;
    numbered.push_back({before ? numbered.back().leaf + !same : 0, p.point});
    before = &p;
  }
  return numbered;
}

std::vector<Numbered> in_leaf_order(const PointCloud& cloud, double leaf_m) {
  if (cloud.size() == 0) return {};
  if (auto numbered = numbered_in_box(cloud, leaf_m)) return *std::move(numbered);
  return numbered_as_sorted(cloud, leaf_m);
}

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

std::vector<Point> leaf_centroids(const PointCloud& cloud, double leaf_m) {
  const std::vector<Numbered> order = in_leaf_order(cloud, leaf_m);
  std::vector<Point> centroids;
  for (auto first = order.begin(); first != order.end();) {
    auto last = first;
    Vec3<double> sum;
    for (; last != order.end() && last->leaf == first->leaf; ++last)
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
