#include "ndt/core/point_cloud.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "ndt/core/simd.hpp"

namespace ndt {
namespace {

constexpr std::size_t kBlock = kRangeBlock;
constexpr std::size_t kBatch = 256;  // points copied before their ranges are summed; they fit the first cache
constexpr float kNear_m = kNearRange_m;
static_assert(kBatch % kBlock == 0);

Float4 load(const float* from) {
  Float4 out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
void store(const Float4& value, float* to) { std::memcpy(to, &value, sizeof value); }

/// Squared ranges of four points [m²]. Writes the points to `copy` on the way unless it is null.
inline Float4 squared_ranges(const Point* points, Point* copy) {
  static_assert(sizeof(Point) == 3 * sizeof(float));
  const float* from = &points->x;
  Float4 a = load(from), b = load(from + 4), c = load(from + 8);
  if (copy != nullptr) {
    float* to = &copy->x;
    store(a, to), store(b, to + 4), store(c, to + 8);
  }
  a *= a, b *= b, c *= c;  // x0 y0 z0 x1 | y1 z1 x2 y2 | z2 x3 y3 z3
  const Float4 yz = __builtin_shufflevector(a, b, 1, 2, 4, 5), xy = __builtin_shufflevector(b, c, 2, 3, 5, 6);
  return __builtin_shufflevector(a, xy, 0, 3, 4, 6) + __builtin_shufflevector(yz, xy, 0, 2, 5, 7) +
         __builtin_shufflevector(yz, c, 1, 3, 4, 7);
}

bool all(Int4 lanes) {
  std::array<std::int64_t, 2> halves;
  std::memcpy(halves.data(), &lanes, sizeof lanes);
  return (halves[0] & halves[1]) == -1;
}

double range_m(const Point& p) {
  const Vec3<double> v = cast<double>(p);
  return std::sqrt(dot(v, v));
}

/// Σ ranges of kBlock points in four columns. near: whether all are finite and nearer than the root of
/// near_squared.
struct BlockRanges {
  Float4 sums{};
  bool near = true;
};
inline BlockRanges block_ranges(const Point* points, float near_squared, Point* copy = nullptr) {
  BlockRanges out;
  Int4 near{-1, -1, -1, -1};
  for (std::size_t i = 0; i < kBlock; i += 4) {
    const Float4 squared = squared_ranges(points + i, copy == nullptr ? nullptr : copy + i);
    near &= squared < near_squared;
    Float4 ranges;
    for (int lane = 0; lane < 4; ++lane) ranges[lane] = std::sqrt(squared[lane]);
    out.sums += ranges;
  }
  out.near = all(near);
  return out;
}

/// Σ ranges of finite points, added in portions of any size. The sum depends on the points and their order
/// only.
class RangeSum {
 public:
  /// Adds the ranges of the next kBlock points, all of them near.
  void add(const Float4& block) {
    for (int lane = 0; lane < 4; ++lane) columns_[lane] += static_cast<double>(block[lane]);
  }
  /// Adds the whole blocks among n points, and returns the number of points added.
  std::size_t add_blocks(const Point* points, std::size_t n) {
    std::size_t done = 0;
    for (; done + kBlock <= n; done += kBlock) {
      const BlockRanges block = block_ranges(points + done, kNear_m * kNear_m);
      if (block.near)
        add(block.sums);
      else
        add_singly(points + done, kBlock);
    }
    return done;
  }
  /// Adds points in double, in which no float's square overflows.
  void add_singly(const Point* points, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) columns_[i % 4] += range_m(points[i]);
  }
  double mean(std::size_t n) const {
    return n == 0 ? 0.0
                  : ((columns_[0] + columns_[1]) + (columns_[2] + columns_[3])) / static_cast<double>(n);
  }

 private:
  double columns_[4] = {};
};

class FiniteCopy {
 public:
  FiniteCopy(float coarse_from_m, float far_from_m, Point* room)
      : room_(room),
        coarse_from_m_(coarse_from_m),
        far_squared_(square(far_from_m)),
        near_squared_(square(std::min({coarse_from_m, far_from_m, kNear_m}))) {}

  void append(const Point* points, std::size_t n) {
    const std::size_t ordinary = append_ordinary(points, n);
    append_singly(points + ordinary, n - ordinary);
    summed_ += ranges_.add_blocks(room_ + summed_, copied_ - summed_);
  }
  CopiedPoints finish(std::size_t of) {
    ranges_.add_singly(room_ + summed_, copied_ - summed_);
    return {copied_, static_cast<std::int64_t>(of - copied_), coarse_, far_, ranges_.mean(copied_)};
  }

 private:
  static float square(float x) { return x * x; }

  /// Copies whole blocks up to the first with a point that is far or not finite; nothing unless the sum is at
  /// the beginning of a block.
  std::size_t append_ordinary(const Point* points, std::size_t n) {
    if (summed_ != copied_) return 0;
    Point* room = room_ + copied_;
    std::size_t done = 0;
    for (; done + kBlock <= n; done += kBlock) {
      const BlockRanges block = block_ranges(points + done, near_squared_, room + done);
      if (!block.near) break;
      ranges_.add(block.sums);
    }
    copied_ += done;
    summed_ = copied_;
    return done;
  }
  void append_singly(const Point* points, std::size_t n) {
    for (const Point& p : std::span(points, n)) {
      room_[copied_] = p;
      if (dot(p, p) < near_squared_)
        ++copied_;
      else if (is_finite(p)) {
        const float largest = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
        ++copied_;
        coarse_ += largest >= coarse_from_m_ ? 1 : 0;
        far_ += dot(p, p) >= far_squared_ ? 1 : 0;
      }
    }
  }

  Point* room_;
  float coarse_from_m_, far_squared_, near_squared_;
  std::size_t copied_ = 0, summed_ = 0, coarse_ = 0, far_ = 0;
  RangeSum ranges_;
};

}  // namespace

CopiedPoints copy_finite(const PointCloud& cloud, const Vec3<double>& frame_origin, float coarse_from_m,
                         Point* room, float far_from_m) {
  const Vec3<double> shift = cloud.origin - frame_origin;
  const bool shifted = shift.x != 0 || shift.y != 0 || shift.z != 0;
  FiniteCopy copy(coarse_from_m, far_from_m, room);
  std::array<Point, kBatch> batch;
  for (std::size_t first = 0; first < cloud.size(); first += kBatch) {
    const std::size_t n = std::min(kBatch, cloud.size() - first);
    const Point* points = cloud.points.data() + first;
    if (shifted) {
      for (std::size_t i = 0; i < n; ++i) batch[i] = cast<float>(cast<double>(points[i]) + shift);
      points = batch.data();
    }
    copy.append(points, n);
  }
  return copy.finish(cloud.size());
}

FinitePoints finite_points(const PointCloud& cloud, const Vec3<double>& frame_origin) {
  FinitePoints out;
  out.points.resize(cloud.size());
  const CopiedPoints copied =
      copy_finite(cloud, frame_origin, std::numeric_limits<float>::infinity(), out.points.data());
  out.points.resize(copied.points);
  out.dropped = copied.dropped;
  return out;
}

double mean_range_m(const std::vector<Point>& points) {
  RangeSum ranges;
  const std::size_t blocks = ranges.add_blocks(points.data(), points.size());
  ranges.add_singly(points.data() + blocks, points.size() - blocks);
  return ranges.mean(points.size());
}

double mean_range_m(std::span<const RangeBlock> blocks, std::span<const Point> rest) {
  RangeSum ranges;
  for (const RangeBlock& block : blocks) ranges.add(load(block.columns));
  ranges.add_singly(rest.data(), rest.size());
  return ranges.mean(blocks.size() * kBlock + rest.size());
}

}  // namespace ndt
