// The filters of a scan that look at one point alone, for every schedule.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ndt/align/preparation.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/point_cloud.hpp"

namespace ndt {

/// The first filter that removes a point, in the order in which they act.
enum class Removal : std::uint8_t { none, finite, range, crop_box, remove_box };
constexpr auto enum_names(Removal) { return std::array{"none", "finite", "range", "crop_box", "remove_box"}; }
inline constexpr int kRemovals = 5;

class PointFilter {
 public:
  explicit PointFilter(const ScanPreparation& p)
      : ranged_(p.min_range_m || p.max_range_m), cropped_(p.crop_box), emptied_(p.remove_box) {
    const double low = p.min_range_m.value_or(0),
                 high = p.max_range_m.value_or(std::numeric_limits<double>::infinity());
    low_square_ = low * low, high_square_ = high * high;
    if (p.crop_box) crop_ = *p.crop_box;
    if (p.remove_box) remove_ = *p.remove_box;
  }

  /// at: the point in the cloud's frame.
  NDT_HD Removal removal(const Vec3<double>& at) const {
    if (!finite(at)) return Removal::finite;
    if (ranged_ && !is_within(low_square_, dot(at, at), high_square_)) return Removal::range;
    if (cropped_ && !contains(crop_, at)) return Removal::crop_box;
    if (emptied_ && contains(remove_, at)) return Removal::remove_box;
    return Removal::none;
  }
  /// Whether no filter removes the point; false also for some that are so far away that none does.
  bool keeps(const Vec3<double>& at) const {
    const double square = dot(at, at);  // not finite unless the point is
    return is_within(low_square_, square, std::min(high_square_, kMost)) &&
           (!cropped_ || contains(crop_, at)) && !(emptied_ && contains(remove_, at));
  }
  /// Whether such a filter was asked for; the one for finite points always is.
  bool has(Removal filter) const {
    return filter == Removal::finite || (filter == Removal::range && ranged_) ||
           (filter == Removal::crop_box && cropped_) || (filter == Removal::remove_box && emptied_);
  }

 private:
  static constexpr double kMost = std::numeric_limits<double>::max();

  NDT_HD static bool finite(const Vec3<double>& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  }
  NDT_HD static bool is_within(double low, double value, double high) {
    return value >= low && value <= high;
  }
  NDT_HD static bool contains(const CropBox& box, const Vec3<double>& p) {
    return is_within(box.low.x, p.x, box.high.x) && is_within(box.low.y, p.y, box.high.y) &&
           is_within(box.low.z, p.z, box.high.z);
  }

  bool ranged_, cropped_, emptied_;
  double low_square_, high_square_;
  CropBox crop_, remove_;
};

}  // namespace ndt
