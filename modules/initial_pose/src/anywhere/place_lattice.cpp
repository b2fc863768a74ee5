#include "anywhere/place_lattice.hpp"

#include <algorithm>
#include <cmath>

namespace ndt::initial_pose {
namespace {

constexpr int kMostHeadings = 1440;
constexpr double kCellRounding = 1e-9;  // of a cell: a box of whole cells has both its ends

double at(const Vec3<double>& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }
int& at(Step& step, int axis) { return axis == 0 ? step.x : axis == 1 ? step.y : step.z; }

/// Farthest point in x and y together, and in z.
struct Reach {
  double xy = 0, z = 0;
  explicit Reach(const ScanSketch& sketch) {
    for (const Vec3<double>& p : sketch.points)
      xy = std::max(xy, std::hypot(p.x, p.y)), z = std::max(z, std::fabs(p.z));
  }
};

}  // namespace

PlaceLattice::PlaceLattice(const PlacePyramid& pyramid, const ScanSketch& sketch, const PlaceRegion& region)
    : pyramid_(pyramid), sketch_(sketch), stands_(region.height_from_map && sketch.ground_below_m) {
  const double cell = pyramid.cell_m(), ground = sketch.ground_below_m.value_or(0);
  const Reach reach(sketch);
  for (int axis = 0; axis < 3; ++axis) {
    const double lift = axis == 2 && stands_ ? ground : 0;
    const double low = at(region.low, axis) + lift, high = at(region.high, axis) + lift;
    const double steps = std::floor((high - low) / cell + kCellRounding);
    first_m_[axis] = (low + high - steps * cell) / 2;
    // Whole steps that are left out at either end, so that the rest keeps its places.
    const double margin = axis < 2 ? reach.xy : reach.z;
    const double from = std::ceil((at(pyramid.corner(), axis) - margin - first_m_[axis]) / cell - 1),
                 to = std::floor((at(pyramid.far_corner(), axis) + margin - first_m_[axis]) / cell + 1);
    const double kept_from = std::max(from, 0.0), kept_to = std::min(to, steps);
    first_m_[axis] += kept_from * cell;
    at(size_, axis) = sketch.points.empty() ? 0 : static_cast<int>(std::max(kept_to - kept_from + 1, 0.0));
  }
  const auto foot = [&](int axis, double below) {
    return static_cast<int>(std::floor((first_m_[axis] - below - at(pyramid.corner(), axis)) / cell));
  };
  if (!empty()) foot_ = {foot(0, 0), foot(1, 0), foot(2, ground)};

  const int around =
      std::clamp(static_cast<int>(std::ceil(2 * kPi * sketch.reach_m / cell)), 1, kMostHeadings);
  heading_step_rad_ = 2 * kPi / around;
  headings_ = around;
  if (region.heading_rad >= kPi) return;
  const int either_way = static_cast<int>(region.heading_rad / heading_step_rad_);
  headings_ = 2 * either_way + 1;
  first_heading_rad_ = -either_way * heading_step_rad_;
}

Vec3<double> PlaceLattice::position_m(const Step& step) const {
  const double cell = pyramid_.cell_m();
  return {first_m_[0] + step.x * cell, first_m_[1] + step.y * cell, first_m_[2] + step.z * cell};
}

double PlaceLattice::heading_rad(int heading) const {
  return std::remainder(first_heading_rad_ + heading * heading_step_rad_, 2 * kPi);
}

void PlaceLattice::cells_at(int heading, Step* cells) const {
  const double angle = heading_rad(heading), sine = std::sin(angle), cosine = std::cos(angle);
  const Vec3<double>& corner = pyramid_.corner();
  const auto cell = [&](double offset, int axis) {
    return static_cast<int>(std::floor((first_m_[axis] + offset - at(corner, axis)) / pyramid_.cell_m()));
  };
  for (const Vec3<double>& p : sketch_.points)
    *cells++ = {cell(cosine * p.x - sine * p.y, 0), cell(sine * p.x + cosine * p.y, 1), cell(p.z, 2)};
}

bool PlaceLattice::may_stand(int level, const Step& from) const {
  return initial_pose::may_stand(view(), pyramid_.footing().level(level).view(), from);
}

std::uint64_t PlaceLattice::count(int level, const Step& from) const {
  const int edge = 1 << level, x_end = std::min(from.x + edge, size_.x),
            y_end = std::min(from.y + edge, size_.y);
  if (!may_stand(level, from)) return 0;
  if (!stands_)
    return static_cast<std::uint64_t>(x_end - from.x) * static_cast<std::uint64_t>(y_end - from.y);
  std::uint64_t positions = 0;
  for (int y = from.y; y < y_end; ++y)
    for (int x = from.x; x < x_end; ++x) positions += may_stand(0, {x, y, from.z});
  return positions;
}

}  // namespace ndt::initial_pose
