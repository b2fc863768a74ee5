// A scanner on a platform that turns by 90 degrees a second, with the courtyard around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ndt/localization/localizer.hpp"
#include "ndt/localization/rigid_motion.hpp"
#include "registry/registry.hpp"
#include "test_clouds.hpp"

namespace ndt::localization {
namespace {

constexpr double kSweepS = 0.1;
constexpr int kTurnFrames = 10;
const Twist kTurn{{}, {0, 0, kPi / 2}};

Transform turned_by(int frame) { return moved_by(kTurn, kSweepS * frame); }

/// Every point of the courtyard as the scanner sees it at its own time. A sweep goes once around from its
/// stamp on.
PointCloud turning_sweep(int frame) {
  PointCloud scan;
  const Transform at_stamp = inverse(turned_by(frame));
  for (const Point& p : test_clouds::scan().points) {
    const Vec3<double> still = rotation_of(at_stamp) * cast<double>(p);
    const double share = 0.5 + std::atan2(still.y, still.x) / (2 * kPi);
    scan.points.push_back(cast<float>(rotation_of(inverse(moved_by(kTurn, share * kSweepS))) * still));
    scan.times.push_back(static_cast<float>(share * kSweepS));
  }
  return scan;
}

struct Followed {
  int ok = 0;
  double largest_m = 0, largest_rad = 0;  ///< of the poses from the third on, where a velocity is known
};

Followed follow(bool deskew, Prediction prediction) {
  const auto aligner = harness::find_implementation("persistent_cpu").make(AlignOptions{});
  aligner->set_map(test_clouds::map());
  LocalizerOptions options;
  options.least_score = 2.3;
  options.recovery_particles = 0;
  options.deskew = deskew;
  options.prediction = prediction;
  Localizer localizer(*aligner, options);
  localizer.start_at(turned_by(0));
  for (int k = 0; k <= 10 * kTurnFrames; ++k)
    localizer.add_imu({kSweepS / 10 * k, kTurn.angular, {0, 0, 9.81}});
  Followed followed;
  for (int frame = 0; frame < kTurnFrames; ++frame) {
    const ScanReport report = localizer.localize(kSweepS * frame, turning_sweep(frame));
    followed.ok += report.verdict == Verdict::ok;
    if (frame < 2) continue;
    followed.largest_m =
        std::max(followed.largest_m, translation_error_m(report.map_from_scan, turned_by(frame)));
    followed.largest_rad =
        std::max(followed.largest_rad, rotation_error_rad(report.map_from_scan, turned_by(frame)));
  }
  return followed;
}

TEST(TurningPlatform, IsFollowedByItsVelocityAndByItsGyroscope) {
  for (const Prediction prediction : {Prediction::constant_velocity, Prediction::imu}) {
    const Followed still = follow(true, prediction);
    EXPECT_EQ(still.ok, prediction == Prediction::imu ? kTurnFrames : kTurnFrames - 2)
        << "a velocity takes two poses";
    EXPECT_LT(still.largest_m, 0.05);
    EXPECT_LT(still.largest_rad, 0.3 * kPi / 180);
  }
}

TEST(TurningPlatform, IsSeenTurnedByHalfASweepWithoutTimes) {
  const Followed rolling = follow(false, Prediction::constant_velocity);
  EXPECT_GT(rolling.largest_rad, 3 * kPi / 180);
}

}  // namespace
}  // namespace ndt::localization
