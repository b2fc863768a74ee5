// Filters of a cloud before it is used: crop by range and by box, voxel-grid and random down-sampling. Always
// in this order, whatever the order of the options; a cloud without any option is used as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ndt/align/no_returns.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// Axis-aligned, in the cloud's frame, metres. Its faces belong to it.
struct CropBox {
  Vec3<double> low, high;  ///< its corners [m]
};

/// Filters of one cloud, in the order they act. Distances are from the origin of the cloud's frame, which for
/// a scan is the sensor. Every comparison is made in double on origin + offset.
struct ScanPreparation {
  std::optional<double> min_range_m{};  ///< points nearer are removed, [0, 1e6] and at most max_range_m
  std::optional<double> max_range_m{};  ///< points farther are removed, (0, 1e6]
  std::optional<CropBox> crop_box{};    ///< points outside are removed
  std::optional<CropBox> remove_box{};  ///< points inside are removed, e.g. the vehicle itself
  /// One point per occupied leaf: its points' centroid. Leaves are floor(coordinate / leaf), as in
  /// pcl::VoxelGrid; the centroids come in increasing leaf order, z slowest. [0.001, 1000]
  std::optional<double> voxel_leaf_m{};
  std::optional<std::int64_t>
      sample_points{};            ///< points drawn, all subsets equally likely, order kept; [1, 1e9]
  std::uint64_t sample_seed = 1;  ///< the same seed draws the same points on every machine

  bool active() const;  ///< whether there is a filter
};

/// Throws std::invalid_argument "option <cloud>-<name> = <value>: must be in <bounds>" for the first option
/// out of range.
void validate(const ScanPreparation& preparation, std::string_view cloud = "scan");

/// Has the filters of `given`, and those of `base` of which `given` has none.
ScanPreparation overridden(const ScanPreparation& base, const ScanPreparation& given);

/// One filter that acted. "finite" comes first and drops non-finite points.
struct FilterStep {
  std::string_view filter;  ///< finite, range, crop_box, remove_box, voxel_grid or sample
  std::int64_t removed_points = 0, left_points = 0;  ///< by it, and after it
};

/// A cloud after its filters.
struct PreparedCloud {
  PointCloud cloud;               ///< the points that are left
  std::int64_t given_points = 0;  ///< before the first filter
  std::vector<FilterStep> steps;  ///< empty if no filter was asked for
};

/// Points that are kept keep their bits, and the cloud its origin. Centroids are stored as float offsets from
/// that origin. Without an option the cloud is returned as it is, non-finite points included; a sample as
/// large as the cloud keeps every point. Throws as validate does.
PreparedCloud prepare(PointCloud cloud, const ScanPreparation& preparation);

/// The motion of a sensor during a sweep: its poses at 33 times, evenly from the first point's to the last
/// one's. They are in the frame that the sensor has at the scan's stamp.
struct SweepMotion {
  static constexpr int kSteps = 32;       ///< between the poses
  double first_s = 0, last_s = 0;         ///< times of the first and the last point, after the stamp
  Mat3<double> rotations[kSteps + 1];     ///< of the poses
  Vec3<double> translations[kSteps + 1];  ///< of the poses [m]
};

/// The way of a raw scan to an alignment, in this order.
struct RawScanUse {
  bool keep_no_returns = false;         ///< else the points that find_no_returns() finds are left out
  const SweepMotion* motion = nullptr;  ///< moves the points by their times to where they were at the stamp
  ScanPreparation filters;              ///< after that
};

/// A raw scan after all of it.
struct HeldRawScan {
  PreparedCloud prepared;  ///< the points that an aligner holds, in the host's memory
  NoReturns no_returns;    ///< points that were left out first
  bool held = false;       ///< the aligner holds them; if not, align() with the cloud says why
  bool by_device = false;  ///< a device did it, with the same bits
};

}  // namespace ndt
