#include <stdexcept>
#include <string>

#include "ndt/core/finite_points.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/exec/chunks.hpp"
#include "ndt/exec/warp.cuh"
#include "ndt/score/device_scoring.cuh"

namespace ndt {
namespace {

constexpr unsigned kWholeWarp = 0xFFFFFFFFU;
constexpr int kTile = 4;  // lanes that share a point: lists hold about four times as many voxels
constexpr int kLeastBlock = 128, kMostBlock = 512;
constexpr int kPosesPerBlock = 4;

__device__ void add(ChunkScore& to, const ChunkScore& part) {
  for (int i = 0; i < 2; ++i) to.sums[i] += part.sums[i], to.counts[i] += part.counts[i];
}

/// Gives the same value on every lane.
__device__ ChunkScore folded_over_warp(ChunkScore value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    ChunkScore other;
    for (int i = 0; i < 2; ++i) {
      other.sums[i] = __shfl_xor_sync(kWholeWarp, value.sums[i], offset);
      other.counts[i] = __shfl_xor_sync(kWholeWarp, value.counts[i], offset);
    }
    add(value, other);
  }
  return value;
}

/// Adds up the threads' parts, warp by warp. Thread 0 gets the sum.
__device__ ChunkScore folded_over_block(const ChunkScore& mine) {
  __shared__ ChunkScore warps[kMostBlock / 32];
  const ChunkScore warp = folded_over_warp(mine);
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x / 32] = warp;
  __syncthreads();
  ChunkScore total{};
  if (threadIdx.x == 0)
    for (unsigned w = 0; w < blockDim.x / 32; ++w) add(total, warps[w]);
  return total;
}

/// One block per chunk (x) and pose (y). Which thread adds what depends on the number of scan points only.
__global__ void __launch_bounds__(kMostBlock)
    chunk_kernel(VoxelMapView map, Gauss<float> gauss, ScanView scan, const Motion* motions,
                 ChunkScore* out) {
  const Chunks chunks(scan.size);
  const int chunk = static_cast<int>(blockIdx.x);
  const Motion& motion = motions[blockIdx.y];
  const int tile = static_cast<int>(threadIdx.x) / kTile, tiles = static_cast<int>(blockDim.x) / kTile;
  const int end = chunks.end(chunk);
  ChunkScore mine{};
  for (int first = chunks.begin(chunk); first < end; first += tiles) {
    PointSums<float> point;
    int pairs = 0;
    if (first + tile < end)
      pairs =
          add_neighbours(map, gauss, move_point(motion, scan.points[first + tile]), WarpTile<kTile>{}, point);
    const float largest = WarpTile<kTile>::max(point.largest);
    const int any = WarpTile<kTile>::max(pairs) > 0 ? 1 : 0;
    mine.sums[0] += point.score;
    mine.counts[0] += pairs;
    if (WarpTile<kTile>::rank() == 0) mine.sums[1] += largest, mine.counts[1] += any;
  }
  const ChunkScore total = folded_over_block(mine);
  if (threadIdx.x == 0) out[std::size_t{blockIdx.y} * gridDim.x + blockIdx.x] = total;
}

/// One warp per pose: adds the chunks in order, in double. Lane 0 adds scores and pairs, lane 1 the other
/// two.
__global__ void __launch_bounds__(32 * kPosesPerBlock)
    fold_kernel(const ChunkScore* parts, int chunks, int poses, PoseScore* out) {
  __shared__ ChunkScore shared[kPosesPerBlock][kMaxChunks];
  const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) / 32;
  const int pose = static_cast<int>(blockIdx.x) * kPosesPerBlock + warp;
  if (pose >= poses) return;
  for (int c = lane; c < chunks; c += 32)
    shared[warp][c] = parts[static_cast<std::size_t>(pose) * chunks + c];
  __syncwarp();
  const int which = lane & 1;
  double sum = 0;
  std::int64_t count = 0;
  for (int c = 0; c < chunks; ++c) {
    sum += static_cast<double>(shared[warp][c].sums[which]);
    count += shared[warp][c].counts[which];
  }
  if (lane == 0) out[pose].score = sum, out[pose].pairs = count;
  if (lane == 1) out[pose].nearest = sum, out[pose].points = count;
}

__global__ void point_kernel(VoxelMapView map, Gauss<float> gauss, ScanView scan, Motion motion, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < scan.size) out[i] = nearest_voxel_score(map, gauss, motion, scan.points[i]);
}

/// Number of threads for a chunk: a power of two, with all threads busy if possible.
unsigned block_of(int chunk_size) {
  int threads = kLeastBlock;
  while (threads < kMostBlock && threads < kTile * chunk_size) threads *= 2;
  return static_cast<unsigned>(threads);
}

}  // namespace

void score_poses(cuda::Context& context, const VoxelMapView& map, const Gauss<float>& gauss,
                 const ScanView& scan, const Motion* motions, int poses, PoseScore* out,
                 ScoreScratch& scratch) {
  if (poses < 0 || static_cast<std::size_t>(poses) > Limits::kBatch)
    throw std::invalid_argument("score_poses: " + std::to_string(poses) + " poses, at most " +
                                std::to_string(Limits::kBatch) + " in one call");
  if (poses == 0) return;
  const Chunks chunks(scan.size);
  const auto blocks_y = static_cast<unsigned>(poses), columns = static_cast<unsigned>(chunks.count);
  if (columns == 0) {
    context.fill_bytes(out, 0, blocks_y * sizeof(PoseScore));
    return;
  }
  scratch.reserve(std::size_t{blocks_y} * columns);
  context.launch(chunk_kernel, cuda::Grid{columns, block_of(chunks.size), blocks_y}, map, gauss, scan,
                 motions, scratch.data());
  context.launch(fold_kernel,
                 cuda::Grid{(blocks_y + kPosesPerBlock - 1) / kPosesPerBlock, 32 * kPosesPerBlock},
                 scratch.data(), chunks.count, poses, out);
}

void score_points(cuda::Context& context, const VoxelMapView& map, const Gauss<float>& gauss,
                  const ScanView& scan, const Motion& motion, float* out) {
  if (scan.size <= 0) return;
  context.launch(point_kernel, cuda::grid_for(scan.size), map, gauss, scan, motion, out);
}

}  // namespace ndt
