// From points on the device to the windows of a finish.
#pragma once

#include "device_voxels.cuh"
#include "ndt/align/align_options.hpp"
#include "ndt/voxel/map_cloud.hpp"

namespace ndt {

/// Makes the voxels of Windows, without statistics and surfaces. points: relative to the origin. Throws
/// InputError for a point outside the limits of cells, and before it takes memory that the device does not
/// have. Waits for the device.
VoxelCensus make_windows(cuda::Context& context, const MapPoints& device_points, const MapOrigin& origin,
                         const AlignOptions& options, VoxelTable& out, ListCounts& counts);

}  // namespace ndt
