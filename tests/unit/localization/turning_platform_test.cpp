// A scanner on a platform that turns, with the courtyard around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ndt/localization/localizer.hpp"
#include "ndt/localization/rigid_motion.hpp"
#include "registry/registry.hpp"
#include "test_clouds.hpp"

namespace ndt::localization {
namespace {

constexpr double kSweepS = 0.1;
constexpr int kSweeps = 10;
constexpr double kRate = kPi / 2;  // 90 degrees a second

/// The heading at a time.
using Heading = std::function<double(double seconds)>;
double steady(double seconds) { return kRate * seconds; }
/// Stands still for three sweeps, and reaches 90 degrees a second after half a second.
double begun(double seconds) { return kRate * std::pow(std::max(0.0, seconds - 3 * kSweepS), 2); }

Transform turned(double yaw) { return to_transform({.yaw = yaw}); }

/// Every point of the courtyard as the scanner sees it at its own time. A sweep goes once around from its
/// stamp on.
PointCloud turning_sweep(const Heading& heading, int frame) {
  PointCloud scan;
  const double stamp_s = kSweepS * frame;
  const Transform at_stamp = inverse(turned(heading(stamp_s)));
  for (const Point& p : test_clouds::scan().points) {
    const Vec3<double> still = rotation_of(at_stamp) * cast<double>(p);
    const double share = 0.5 + std::atan2(still.y, still.x) / (2 * kPi);
    const double since = heading(stamp_s + share * kSweepS) - heading(stamp_s);
    scan.points.push_back(cast<float>(rotation_of(inverse(turned(since))) * still));
    scan.times.push_back(static_cast<float>(share * kSweepS));
  }
  return scan;
}

struct Followed {
  int ok = 0, again = 0;
  double largest_m = 0, largest_rad = 0;  ///< of the poses from the third on
};

struct Way {
  bool deskew = true, times_kept = true;
  Prediction prediction = Prediction::constant_velocity;
};

Followed follow(const Heading& heading, const Way& way) {
  const auto aligner = harness::find_implementation("persistent_cpu").make(AlignOptions{});
  aligner->set_map(test_clouds::map());
  LocalizerOptions options;
  options.least_score = 2.3;
  options.recovery_particles = 0;
  options.deskew = way.deskew;
  options.prediction = way.prediction;
  Localizer localizer(*aligner, options);
  localizer.start_at({});
  for (int k = 0; k <= 10 * kSweeps; ++k) localizer.add_imu({kSweepS / 10 * k, {0, 0, kRate}, {0, 0, 9.81}});
  Followed followed;
  for (int frame = 0; frame < kSweeps; ++frame) {
    const PointCloud sweep = turning_sweep(heading, frame);
    PreparedScan scan = localizer.prepare(kSweepS * frame, sweep);
    if (!way.times_kept) scan.scan.prepared.cloud.times.clear();
    const ScanReport report = localizer.localize_prepared(kSweepS * frame, scan);
    const Transform truth = turned(heading(kSweepS * frame));
    followed.ok += report.verdict == Verdict::ok;
    followed.again += report.deskew.again;
    if (frame < 2) continue;
    followed.largest_m = std::max(followed.largest_m, translation_error_m(report.map_from_scan, truth));
    followed.largest_rad = std::max(followed.largest_rad, rotation_error_rad(report.map_from_scan, truth));
  }
  return followed;
}

TEST(TurningPlatform, IsFollowedByItsVelocityAndByItsGyroscope) {
  for (const Prediction prediction : {Prediction::constant_velocity, Prediction::imu}) {
    const Followed still = follow(steady, {.prediction = prediction});
    EXPECT_EQ(still.ok, prediction == Prediction::imu ? kSweeps : kSweeps - 1)
        << "a velocity takes two poses";
    EXPECT_LT(still.largest_m, 0.05);
    EXPECT_LT(still.largest_rad, 0.3 * kPi / 180);
  }
}

TEST(TurningPlatform, IsSeenTurnedByHalfASweepWithoutTimes) {
  const Followed rolling = follow(steady, {.deskew = false});
  EXPECT_GT(rolling.largest_rad, 3 * kPi / 180);
}

TEST(TurningPlatform, ThatBeginsToTurnIsDeskewedAgainByThePoseThatIsFound) {
  const Followed once = follow(begun, {.times_kept = false}), twice = follow(begun, {});
  EXPECT_EQ(once.again, 0);
  EXPECT_GT(twice.again, 3);
  EXPECT_GT(once.largest_rad, 1 * kPi / 180);
  EXPECT_LT(twice.largest_rad, 0.3 * kPi / 180);
  EXPECT_LT(twice.largest_m, 0.6 * once.largest_m);
}

}  // namespace
}  // namespace ndt::localization
