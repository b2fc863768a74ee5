// A kernel's view of a voxel map, by value: the voxels, and for every cell the list of voxels that can be
// near a point in it. Finding a point's list takes two adjacent loads in a dense window, or one probe
// sequence outside it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ndt/voxel/voxel.hpp"

namespace ndt {

/// A voxel that may be near a point. The centroid is beside its index, so that a miss costs no further load.
struct alignas(16) NearVoxel {
  Vec3<float> centroid;
  std::uint32_t voxel = 0;
};
static_assert(sizeof(NearVoxel) == 16);

/// Most voxels that a cell lists: each has its centroid in its own cell, and rounding can add one cell on
/// either side.
inline constexpr int kMaxNearVoxels = 125;
inline constexpr int kNearVoxelPadding =
    7;  ///< readable entries after the last list, for readers that take eight at a time

struct NearVoxels {
  const NearVoxel* first = nullptr;
  int count = 0;
};

/// Open-addressing entry for a cell outside the window.
struct CellEntry {
  std::uint64_t key = kNoKey;
  std::uint32_t first = 0, count = 0;
  static constexpr std::uint64_t kNoKey = ~0ULL;
};

/// Spreads neighbouring keys with murmur3's 64-bit finaliser.
NDT_HD inline std::uint64_t hash_key(std::uint64_t key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdULL;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ULL;
  return key ^ key >> 33;
}

/// The entry of a key; null if it has none. mask: of the number of entries, which is a power of two.
NDT_HD inline const CellEntry* find_entry(const CellEntry* entries, std::uint64_t mask, std::uint64_t key) {
  for (std::uint64_t i = hash_key(key) & mask;; i = (i + 1) & mask) {
    if (entries[i].key == key) return entries + i;
    if (entries[i].key == CellEntry::kNoKey) return nullptr;
  }
}

/// Box of cells with a dense index: cell c lists the near voxels [starts[i], starts[i + 1]).
struct CellWindow {
  Cell low;
  unsigned nx = 0, ny = 0, nz = 0;
  const std::uint32_t* starts = nullptr;  ///< [cells() + 1]

  NDT_HD std::uint64_t cells() const { return static_cast<std::uint64_t>(nx) * ny * nz; }
  /// Index of a cell; false outside.
  NDT_HD bool index_of(const Cell& c, std::size_t& index) const {
    const unsigned x = static_cast<unsigned>(c.x - low.x), y = static_cast<unsigned>(c.y - low.y),
                   z = static_cast<unsigned>(c.z - low.z);
    index = (static_cast<std::size_t>(z) * ny + y) * nx + x;
    return x < nx && y < ny && z < nz;
  }
};

struct VoxelMapView {
  const Voxel* voxels = nullptr;
  const NearVoxel* lists = nullptr;  ///< lists of all cells, then kNearVoxelPadding readable entries
  CellWindow window;
  const CellEntry* outside = nullptr;  ///< [outside_mask + 1], null if the window holds every cell
  std::uint64_t outside_mask = 0;
  int voxel_count = 0;
  float inverse_resolution = 0;
  float squared_radius = 0;  ///< infinite for the direct neighbour policies: every listed voxel counts

  /// The voxels listed for the cell of p: all whose centroid can be nearer than the radius to a point in it,
  /// or those of a direct policy. p is map-local.
  NDT_HD NearVoxels near_voxels(const Vec3<float>& p) const {
    Cell cell;
    if (!cell_of(p, inverse_resolution, cell)) return {};
    std::size_t index;
    if (window.index_of(cell, index)) {
      const std::uint32_t* start = window.starts + index;
      return {lists + start[0], static_cast<int>(start[1] - start[0])};
    }
    return outside == nullptr ? NearVoxels{} : probe(pack(cell));
  }

  NDT_HD NearVoxels probe(std::uint64_t key) const {
    const CellEntry* found = find_entry(outside, outside_mask, key);
    if (found == nullptr) return {};
    return {lists + found->first, static_cast<int>(found->count)};
  }
};

}  // namespace ndt
