#include <bit>
#include <cmath>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/edge/device_scan.cuh"

namespace ndt {
namespace {

// A sum of ranges is not negative. In the first column of a block whose sums nobody needs stands why.
constexpr float kNotFinite = -1, kFar = -2;

__host__ __device__ inline float squared_range(const Point& p) { return p.x * p.x + p.y * p.y + p.z * p.z; }
/// Not for NaN.
__host__ __device__ inline bool is_near(const Point& p) {
  return squared_range(p) < static_cast<float>(kFar_m) * static_cast<float>(kFar_m);
}
static_assert(kFar_m <= kNearRange_m);

/// Adds the ranges of 16 lanes as RangeBlock has them. All lanes call it; the first four have the columns.
__device__ inline float column_of(float range, unsigned lanes) {
  float sum = range;
  for (unsigned from = 4; from < kRangeBlock; from += 4)
    sum += __shfl_down_sync(lanes, range, from, kRangeBlock);
  return sum;
}

__global__ void pack_kernel(StridedPoints from, unsigned most, const unsigned* count, Point* to,
                            RangeBlock* blocks, ScanRest* rest) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = count == nullptr ? most : *count;
  if (i == 0) rest->size = n;
  if (i >= n) return;
  const Point p = from(i);
  to[i] = p;
  const unsigned block = i / kRangeBlock, lane = i % kRangeBlock;
  if (block == n / kRangeBlock) {
    rest->points[lane] = p;
    return;
  }
  const unsigned lanes = 0xFFFFU << (threadIdx.x & 16U);
  const bool finite = is_finite(p);
  const bool some_far = __any_sync(lanes, finite && !is_near(p)), all_finite = __all_sync(lanes, finite);
  float column = column_of(sqrtf(squared_range(p)), lanes);
  if (lane == 0 && !all_finite) column = kNotFinite;
  if (lane == 0 && some_far) column = kFar;
  if (lane < 4) blocks[block].columns[lane] = column;
}

}  // namespace

DeviceScan::Look DeviceScan::pack(const StridedPoints& points, unsigned n, const unsigned* count,
                                  Point* room) {
  context_.launch(pack_kernel, cuda::grid_for(n), points, n, count, room, blocks_.data(), rest_.data());
  context_.synchronise();
  context_.count_download(blocks().size_bytes() + sizeof(ScanRest));
  Look look = Look::all_usable;
  const auto see = [&](bool far, bool not_finite) {
    if (far) look = Look::some_far;
    if (not_finite && look == Look::all_usable) look = Look::some_not_finite;
  };
  for (const RangeBlock& block : blocks()) see(block.columns[0] == kFar, block.columns[0] == kNotFinite);
  for (const Point& p : rest()) see(is_finite(p) && !is_near(p), !is_finite(p));
  return look;
}

std::optional<CopiedPoints> DeviceScan::take(const DeviceCloud& cloud, Point* room, const char* where) {
  if (cloud.size == 0) return CopiedPoints{};
  const StridedPoints points = open_cloud(context_, cloud, {}, where);
  const auto n = static_cast<unsigned>(cloud.size);
  blocks_.reserve(n / kRangeBlock);
  rest_.reserve(1);
  Look look = pack(points, n, nullptr, room);
  if (look == Look::some_not_finite) {
    count_.reserve(1);
    pack_finite(context_, scratch_, points, n, room, count_.data());
    look = pack(packed_points(room), n, count_.data(), room);
  }
  if (look == Look::some_far) return std::nullopt;
  return packed(cloud.size);
}

std::optional<CopiedPoints> DeviceScan::take_packed(const Point* points, const Vec3<double>& origin,
                                                    unsigned most, const unsigned* count, Point* room) {
  blocks_.reserve(std::bit_ceil(most) / kRangeBlock);
  rest_.reserve(1);
  if (pack(packed_points(points, origin), most, count, room) == Look::some_far) return std::nullopt;
  return packed(rest_[0].size);
}

void DeviceScan::copy(const StridedPoints& points, unsigned n, Point* room) {
  blocks_.reserve(n / kRangeBlock);
  rest_.reserve(1);
  pack(points, n, nullptr, room);
}

CopiedPoints DeviceScan::packed(std::size_t given) const {
  CopiedPoints out;
  out.points = rest_.data()->size;
  out.dropped = static_cast<std::int64_t>(given - out.points);
  out.mean_range_m = mean_range_m(blocks(), rest());
  return out;
}

}  // namespace ndt
