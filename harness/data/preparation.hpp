// Filters of a cloud before it is used: crop by range and by box, voxel-grid and random down-sampling. Always
// in this order, whatever the order of the options; a cloud without any option is used as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "io/toml_fields.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

class VoxelGrid;  // data/voxel_grid.hpp

/// Axis-aligned, in the cloud's frame, metres. Its faces belong to it.
struct CropBox {
  Vec3<double> low, high;
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

  bool active() const;
};

/// Throws std::invalid_argument "option <cloud>-<name> = <value>: must be in <bounds>" for the first option
/// out of range.
void validate(const ScanPreparation& preparation, std::string_view cloud = "scan");

/// Has the filters of `given`, and those of `base` of which `given` has none.
ScanPreparation overridden(const ScanPreparation& base, const ScanPreparation& given);

/// One filter that acted. "finite" comes first and drops non-finite points.
struct FilterStep {
  std::string_view filter;  ///< finite, range, crop_box, remove_box, voxel_grid or sample
  std::int64_t removed_points = 0, left_points = 0;
};

struct PreparedCloud {
  PointCloud cloud;
  std::int64_t given_points = 0;
  std::vector<FilterStep> steps;  ///< empty if no filter was asked for
};

/// Points that are kept keep their bits, and the cloud its origin; centroids are taken in double and stored
/// as float offsets from that origin. Without an option the cloud is returned as it is, non-finite points
/// included; a sample as large as the cloud keeps every point. Throws as validate does.
PreparedCloud prepare(PointCloud cloud, const ScanPreparation& preparation);
/// For one scan after the other: takes the memory that `grid` has, and gives none back, nor the cloud's own.
PreparedCloud prepare(PointCloud cloud, const ScanPreparation& preparation, VoxelGrid& grid);

/// Reads the filters from the keys of a TOML table. Throws InputError for an unknown key or a value out of
/// range.
ScanPreparation read_preparation(TomlTable& toml, std::string_view cloud);

/// Describes both in one line: "scan: range 2 to 100 m, voxel leaf 1 m; map: as it is".
std::string describe_preparation(const ScanPreparation& scan, const ScanPreparation& map);

/// Draws `count` of the points, order kept, every subset equally likely; returns all of them if there are at
/// most `count`. The same seed gives the same points on every platform.
std::vector<Point> random_sample(const std::vector<Point>& points, std::int64_t count, std::uint64_t seed);
/// Draws the times of the same points.
std::vector<float> random_sample(const std::vector<float>& times, std::int64_t count, std::uint64_t seed);

}  // namespace ndt::harness
