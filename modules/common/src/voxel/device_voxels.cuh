// The voxels of a map on the device, and what the host needs to know of them.
#pragma once

#include <cstdint>

#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/voxel.hpp"

namespace ndt {

/// Smallest box around cells; low > high while there is none.
struct CellBox {
  Cell low{kCellLimit, kCellLimit, kCellLimit}, high{-kCellLimit - 1, -kCellLimit - 1, -kCellLimit - 1};
};

/// The facts about the voxels that the host needs to index them.
struct VoxelCensus {
  CellBox own, listing;           ///< around the voxels, around the cells that list them
  unsigned long long listed = 0;  ///< entries of all lists
  unsigned voxels = 0;
  unsigned occupied = 0;  ///< cells with points; counted only without any voxel
};
static_assert(sizeof(VoxelCensus) == 64);  // without padding, because a download would read it uninitialised

/// The voxels, [voxels] in key order: keys, statistics, what kernels read, surfaces.
using VoxelTable = cuda::DeviceArrays<std::uint64_t, VoxelStatistics, Voxel, VoxelSurface>;

}  // namespace ndt
