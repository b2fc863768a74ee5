// From points on the device to the voxels that are Gaussians.
#pragma once

#include "device_sorted_points.cuh"
#include "device_voxels.cuh"
#include "ndt/align/align_options.hpp"
#include "ndt/voxel/map_cloud.hpp"

namespace ndt {

/// Sums the points of every run about its cell's centre. out: [runs].
void sum_runs(cuda::Context& context, const MapPoints& device_points, const SortedPoints& sorted,
              const AlignOptions& options, VoxelSums* out);

/// Reserves `out` and fills it, and takes `counts`. Throws InputError if a point is outside the limits of
/// cells. Waits for the device.
VoxelCensus make_voxels(cuda::Context& context, const MapPoints& device_points, const AlignOptions& options,
                        VoxelTable& out, ListCounts& counts);

}  // namespace ndt
