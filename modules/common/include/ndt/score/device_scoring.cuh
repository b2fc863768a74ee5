// Scores of many poses of one scan on the device, without their derivatives.
#pragma once

#include "ndt/core/finite_points.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// A chunk's share of one pose's score.
struct ChunkScore {
  float sums[2];  ///< as PoseScore::score, nearest
  int counts[2];  ///< pairs, points
};
/// Scratch memory that grows to [poses][chunks], at most kMaxChunks, 128 MiB. The caller keeps it, so that
/// the next call allocates nothing.
using ScoreScratch = cuda::DeviceBuffer<ChunkScore>;

/// Writes to out[k] the score at motions[k], for [poses] motions, at most Limits::kBatch. All pointers are
/// the device's. Does not wait. The bits of out[k] depend neither on k nor on the other poses. Throws
/// std::invalid_argument, cuda::Error.
void score_poses(cuda::Context& context, const VoxelMapView& map, const Gauss<float>& gauss,
                 const ScanView& scan, const Motion* motions, int poses, PoseScore* out,
                 ScoreScratch& scratch);

/// Writes to out[i] the largest pair score of scan point i, 0 without a voxel. out: [scan.size] on the
/// device. Does not wait.
void score_points(cuda::Context& context, const VoxelMapView& map, const Gauss<float>& gauss,
                  const ScanView& scan, const Motion& motion, float* out);

}  // namespace ndt
