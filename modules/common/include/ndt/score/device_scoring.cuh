// Scores of many poses of one scan on the device, without their derivatives.
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/voxel/voxel_map_view.hpp"

namespace ndt {

/// What a chunk of the scan adds to one pose's score.
struct ChunkScore {
  float sums[2];  ///< as PoseScore::score, nearest
  int counts[2];  ///< pairs, points
};
/// Grows to [poses][chunks], 128 MiB at most; kept by the caller so that the next call allocates nothing.
using ScoreScratch = cuda::DeviceBuffer<ChunkScore>;

/// out[k]: of motions[k], for [poses] of them, at most Limits::kBatch. All pointers are the device's; does not wait. out[k] has the same
/// bits wherever in a batch and among whichever poses the motion stands. Throws std::invalid_argument, cuda::Error.
void score_poses(cuda::Context& context, const VoxelMapView& map, const Gauss<float>& gauss, const ScanView& scan,
                 const Motion* motions, int poses, PoseScore* out, ScoreScratch& scratch);

/// out[i]: largest pair score of scan point i, 0 without a voxel. [scan.size] on the device; does not wait.
void score_points(cuda::Context& context, const VoxelMapView& map, const Gauss<float>& gauss, const ScanView& scan,
                  const Motion& motion, float* out);

}  // namespace ndt
