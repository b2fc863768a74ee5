#include "town/other_sensors.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

constexpr double kFixPeriodS = 0.2;
constexpr double kNoiseM = 0.1, kDriftM = 0.3, kDriftS = 20;
constexpr double kHeightFactor = 2;

/// The error of one coordinate, of deviation 1 both in its noise and in its drift.
class CoordinateError {
 public:
  explicit CoordinateError(std::uint64_t seed) : random_(seed), drift_(normal_number(random_)) {}
  double after(double gap_s) {
    const double kept = std::max(0.0, 1 - gap_s / kDriftS);
    drift_ = kept * drift_ + std::sqrt(1 - kept * kept) * normal_number(random_);
    return kDriftM * drift_ + kNoiseM * normal_number(random_);
  }

 private:
  IntegerRandom random_;
  double drift_;
};

/// Tells of ever greater distances whether there is no fix.
class Gaps {
 public:
  explicit Gaps(std::uint64_t seed) : random_(seed) {}
  bool hold(double along_m) {
    while (along_m >= end_m_) {
      begin_m_ = end_m_ + metres(40, 120);
      end_m_ = begin_m_ + metres(20, 50);
    }
    return along_m >= begin_m_;
  }

 private:
  double metres(std::int64_t least, std::int64_t most) {
    return static_cast<double>(least + random_.below(most - least + 1));
  }

  IntegerRandom random_;
  double begin_m_ = 0, end_m_ = 0;
};

constexpr double kTooLong = 1.01, kDistanceSigma = 0.01;
constexpr double kDegree = 3.141592653589793 / 180;
constexpr double kDriftRad = 1 * kDegree / 100;  // per metre
constexpr double kHeadingSigmaRad = 0.05 * kDegree;

/// A turn about z, exact but for roundings: the angle is small, and its tangent stands for it.
Mat3<double> turn(double angle_rad) {
  const double half = angle_rad / 2, c = (1 - half * half) / (1 + half * half),
               s = 2 * half / (1 + half * half);
  return {{c, -s, 0, s, c, 0, 0, 0, 1}};
}

}  // namespace

std::vector<StampedTransform> gnss_of(std::span<const StampedTransform> poses, Outages outages,
                                      std::uint64_t seed) {
  constexpr double kRounding = 1e-6;  // of times
  CoordinateError x(seed_of(seed, 0)), y(seed_of(seed, 1)), z(seed_of(seed, 2));
  Gaps gaps(seed_of(seed, 3));
  std::vector<StampedTransform> fixes;
  double along_m = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Vec3<double> at = translation_of(poses[i].map_from_body);
    const Vec3<double> way = at - translation_of(poses[i > 0 ? i - 1 : 0].map_from_body);
    along_m += std::sqrt(dot(way, way));
    const double gap_s = fixes.empty() ? kFixPeriodS : poses[i].time_s - fixes.back().time_s;
    if (gap_s < kFixPeriodS - kRounding) continue;
    if (outages == Outages::some && gaps.hold(along_m)) continue;
    const Vec3<double> error{x.after(gap_s), y.after(gap_s), kHeightFactor * z.after(gap_s)};
    fixes.push_back({poses[i].time_s, make_transform(rotation_of(Transform{}), at + error)});
  }
  return fixes;
}

std::vector<StampedTransform> odometry_of(std::span<const StampedTransform> poses, std::uint64_t seed,
                                          std::optional<std::size_t> carried) {
  IntegerRandom random(seed);
  std::vector<StampedTransform> odometry;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (i == 0) {
      odometry.push_back({poses[0].time_s, {}});
      continue;
    }
    const std::size_t to = i == carried ? i - 1 : i;  // what it did not drive it does not know
    const Transform step = inverse(poses[to - 1].map_from_body) * poses[to].map_from_body;
    const Vec3<double> way = translation_of(step);
    const double metres = std::sqrt(dot(way, way));
    const double stretch = kTooLong + kDistanceSigma * normal_number(random);
    const double drift = kDriftRad * metres + kHeadingSigmaRad * normal_number(random);
    const Transform seen = make_transform(rotation_of(step) * turn(drift), stretch * way);
    odometry.push_back({poses[i].time_s, odometry.back().map_from_body * seen});
  }
  return odometry;
}

}  // namespace ndt::harness::town
