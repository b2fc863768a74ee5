// Raw scans and preparations by chance, for tests that compare ways to prepare them.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "ndt/align/preparation.hpp"
#include "ndt/core/pose.hpp"

namespace ndt {

/// A draw of scans and of what is done to them: from plain ones to those with everything odd.
class ScanDraw {
 public:
  explicit ScanDraw(unsigned seed, int most_points = 4000) : random_(seed), most_points_(most_points) {}

  bool one_in(int n) { return std::uniform_int_distribution(1, n)(random_) == 1; }
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  PointCloud scan() {
    PointCloud cloud;
    if (one_in(4)) cloud.origin = {between(-5, 5), between(-3000, 3000), between(-1, 1)};
    const int n = one_in(10) ? whole(1, 40) : whole(100, most_points_);
    const double spread_m = one_in(5) ? 300 : 40;
    for (int i = 0; i < n; ++i) cloud.points.push_back(point(spread_m));
    if (one_in(3)) some(cloud, {0, 0, 0});
    if (one_in(5)) some(cloud, {9999, 9999, 9999});
    if (one_in(5)) some(cloud, {0, 2e8F, 1});
    if (one_in(8)) some(cloud, {12.5F, -3, 1});  // copies
    if (one_in(4)) some(cloud, {std::numeric_limits<float>::quiet_NaN(), 1, 2});
    if (one_in(20)) cloud.points.front() = {1e-30F, 4000, -2};
    if (one_in(3))
      for (int i = 0; i < n; ++i) cloud.times.push_back(static_cast<float>(between(-0.05, 0.05)));
    return cloud;
  }

  ScanPreparation filters() {
    ScanPreparation p;
    if (one_in(2)) p.min_range_m = between(0, 5);
    if (one_in(2)) p.max_range_m = between(6, 100);
    if (one_in(3)) p.crop_box = CropBox{{between(-90, -1), between(-90, -1), -9}, {between(0, 90), 80, 20}};
    if (one_in(3)) p.remove_box = CropBox{{between(-4, -1), -2, -3}, {between(0, 4), 2, 3}};
    if (!one_in(4)) p.voxel_leaf_m = one_in(3) ? between(0.02, 0.2) : between(0.2, 5);
    if (one_in(2)) p.sample_points = whole(1, 3000), p.sample_seed = static_cast<std::uint64_t>(whole(0, 99));
    return p;
  }

  SweepMotion motion() {
    SweepMotion motion;
    motion.first_s = -0.05, motion.last_s = 0.05;
    const double yaw = between(-0.3, 0.3), x = between(-2, 2);
    for (int k = 0; k <= SweepMotion::kSteps; ++k) {
      const double share = static_cast<double>(k) / SweepMotion::kSteps - 0.5;
      const Transform at = to_transform({.x = x * share, .yaw = yaw * share});
      motion.rotations[k] = rotation_of(at), motion.translations[k] = translation_of(at);
    }
    return motion;
  }

 private:
  Point point(double spread_m) {
    const auto on_axis = [&](double limit) { return static_cast<float>(between(-limit, limit)); };
    return {on_axis(spread_m), on_axis(spread_m), on_axis(4)};
  }
  void some(PointCloud& cloud, const Point& p) {
    for (std::size_t i = 0; i < cloud.size(); i += static_cast<std::size_t>(whole(3, 60)))
      cloud.points[i] = p;
  }

  std::mt19937 random_;
  int most_points_;
};

inline bool same_steps(const std::vector<FilterStep>& a, const std::vector<FilterStep>& b) {
  return std::ranges::equal(a, b, [](const FilterStep& s, const FilterStep& t) {
    return s.filter == t.filter && s.removed_points == t.removed_points && s.left_points == t.left_points;
  });
}

}  // namespace ndt
