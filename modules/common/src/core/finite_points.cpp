#include "ndt/core/finite_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "ndt/core/range_kernels.hpp"

namespace ndt {
namespace {

constexpr std::size_t kBlock = kRangeBlock;
constexpr std::size_t kBatch =
    1024;  // points copied before their ranges are summed; they fit the first cache
constexpr std::size_t kProgress = 2048;  // points between two calls of a CopyProgress
constexpr float kNear_m = kNearRange_m;
static_assert(kBatch % kBlock == 0 && kProgress % kBatch == 0);

double range_m(const Point& p) {
  const Vec3<double> v = cast<double>(p);
  return std::sqrt(dot(v, v));
}

/// Σ ranges of finite points, added in portions of any size. The sum depends on the points and their order
/// only.
class RangeSum {
 public:
  /// Adds blocks as far as all points are nearer than the root of near_squared, and returns the number of
  /// points.
  std::size_t add_near(const Point* points, std::size_t n, float near_squared) {
    static const RangeKernels& best = *usable_range_kernels().back();
    return best.add_near(points, n, near_squared, columns_);
  }
  void add(const RangeBlock& block) {
    for (int column = 0; column < 4; ++column) columns_[column] += static_cast<double>(block.columns[column]);
  }
  /// Adds the whole blocks among n points, and returns the number of points added.
  std::size_t add_blocks(const Point* points, std::size_t n) {
    std::size_t done = 0;
    for (;;) {
      done += add_near(points + done, n - done, kNear_m * kNear_m);
      if (done + kBlock > n) return done;
      add_singly(points + done, kBlock);
      done += kBlock;
    }
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
  std::size_t copied() const { return copied_; }
  CopiedPoints finish(std::size_t of) {
    ranges_.add_singly(room_ + summed_, copied_ - summed_);
    return {copied_, static_cast<std::int64_t>(of - copied_), coarse_, far_, ranges_.mean(copied_)};
  }

 private:
  static float square(float x) { return x * x; }

  /// Takes whole blocks up to the first with a point that is far or not finite; nothing unless the sum is at
  /// the beginning of a block. Returns the number of points.
  std::size_t append_ordinary(const Point* points, std::size_t n) {
    if (summed_ != copied_) return 0;
    std::copy_n(points, n, room_ + copied_);  // all at once, which is sooner done than by blocks
    const std::size_t done = ranges_.add_near(points, n, near_squared_);
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
                         Point* room, float far_from_m, const CopyProgress& progress) {
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
    if (progress && ((first + n) % kProgress == 0 || first + n == cloud.size())) progress(copy.copied());
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
  for (const RangeBlock& block : blocks) ranges.add(block);
  ranges.add_singly(rest.data(), rest.size());
  return ranges.mean(blocks.size() * kBlock + rest.size());
}

}  // namespace ndt
