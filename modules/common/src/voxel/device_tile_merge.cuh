// From tiles on the device to the voxels of a map.
#pragma once

#include <span>

#include "device_voxels.cuh"
#include "ndt/voxel/device_tile_voxels.cuh"

namespace ndt {

/// Makes what make_voxels() makes of the tiles' points one after the other, bit for bit, for any way in which
/// the points are parted. Waits for the device.
VoxelCensus merge_voxels(cuda::Context& context, std::span<const DeviceTileVoxels* const> tiles,
                         const AlignOptions& options, VoxelTable& out, ListCounts& counts);

}  // namespace ndt
