// The voxels of a map on the device, and what the host needs to know of them.
#pragma once

#include <cstdint>

#include "device_room.cuh"
#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/near_voxels.hpp"
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

/// How many voxels each cell of a box lists.
struct FramedCounts {
  CellWindow frame;
  std::uint32_t* counts = nullptr;  ///< [frame.cells()]; null where nothing is counted

  /// Null outside the box.
  __device__ std::uint32_t* of(const Cell& c) const {
    std::size_t index;
    return frame.index_of(c, index) ? counts + index : nullptr;
  }
};

/// Owner of the counts that are taken where voxels are placed, before the window is known: in a frame that
/// holds it, unless the frame would exceed the window's budget.
class ListCounts {
 public:
  ListCounts(cuda::Context& context, std::uint64_t max_cells)
      : context_(context), max_cells_(max_cells), memory_(context) {}

  /// Zeros for voxels in a box of cells.
  void begin(const CellWindow& box) {
    const auto last = [](int low, unsigned size) { return low + static_cast<int>(size) - 1; };
    const auto frame = window_around(
        box.low, {last(box.low.x, box.nx), last(box.low.y, box.ny), last(box.low.z, box.nz)}, max_cells_);
    if (!frame) return;
    const std::uint64_t bytes = frame->cells() * sizeof(std::uint32_t);
    require_device_room(context_, bytes);
    memory_.reserve(frame->cells());
    context_.fill_bytes(memory_.data(), 0, bytes);
    framed_ = {*frame, memory_.data()};
  }
  const FramedCounts& framed() const { return framed_; }

 private:
  cuda::Context& context_;
  std::uint64_t max_cells_;
  cuda::DeviceBuffer<std::uint32_t> memory_;
  FramedCounts framed_;
};

}  // namespace ndt
