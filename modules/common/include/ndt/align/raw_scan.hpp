// The way of a raw scan to an alignment on the host, and the report of its filters.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ndt/align/point_filter.hpp"
#include "ndt/align/preparation.hpp"

namespace ndt {

/// Points by Removal.
using RemovalCounts = std::array<std::int64_t, kRemovals>;

/// Numbers of points: `given` before the first filter, `leaves` after the voxel grid, `sampled` after the
/// sample.
std::vector<FilterStep> steps_of(const ScanPreparation& preparation, std::int64_t given,
                                 const RemovalCounts& removed, std::int64_t leaves, std::int64_t sampled);

/// Takes the memory of `grid`, as prepare() does. Nobody holds the outcome yet. Throws as validate does.
HeldRawScan prepare_raw(const PointCloud& raw, const RawScanUse& use, VoxelGrid& grid);

}  // namespace ndt
