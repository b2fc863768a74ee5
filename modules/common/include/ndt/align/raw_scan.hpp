// The way of a raw scan to an alignment on the host, and the report of its filters.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ndt/align/no_return_rule.hpp"
#include "ndt/align/point_filter.hpp"
#include "ndt/align/preparation.hpp"
#include "ndt/align/voxel_grid.hpp"

namespace ndt {

/// Points by Removal.
using RemovalCounts = std::array<std::int64_t, kRemovals>;

/// Numbers of points: `given` before the first filter, `leaves` after the voxel grid, `sampled` after the
/// sample.
std::vector<FilterStep> steps_of(const ScanPreparation& preparation, std::int64_t given,
                                 const RemovalCounts& removed, std::int64_t leaves, std::int64_t sampled);

/// Memory that is kept from scan to scan: taken anew, it costs as much as what is done with it.
struct RawScanMemory {
  NoReturnMemory no_returns;
  PointCloud left;
  VoxelGrid grid;
};

/// Nobody holds the outcome yet. Its bits do not depend on the workers. Throws as validate does.
HeldRawScan prepare_raw(const PointCloud& raw, const RawScanUse& use, RawScanMemory& memory,
                        const Workers& workers = {});

}  // namespace ndt
