// The lists of near voxels of every cell, made on the device.
#pragma once

#include <cstdint>

#include "device_voxels.cuh"
#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/near_voxels.hpp"

namespace ndt {

/// The window that choose_window() gives for the same voxels. keys: [census.voxels], increasing, on the
/// device. Waits for the device if the voxels do not fit the budget.
CellWindow choose_window(cuda::Context& context, const std::uint64_t* device_keys, const VoxelCensus& census,
                         std::uint64_t max_cells);

/// The starts of lists, the lists, and the hash of cells outside the window.
using ListIndex = cuda::DeviceArrays<std::uint32_t, NearVoxel, CellEntry>;

/// Reserves `out` and fills it. `counted` are used up. Returns the size of the hash, a power of two, or 0 if
/// the window holds every cell. Waits for the device only if there is a hash.
std::uint64_t list_candidates(cuda::Context& context, const std::uint64_t* device_keys,
                              const Voxel* device_voxels, const VoxelCensus& census,
                              const FramedCounts& counted, const CellWindow& window,
                              const ListingCells& listing, ListIndex& out);

}  // namespace ndt
