// Rolling sweeps as still scans: against points that were really seen from a moving sensor.
#include "ndt/localization/deskew.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "knowing.hpp"
#include "ndt/align/raw_scan.hpp"
#include "ndt/localization/rigid_motion.hpp"

namespace ndt::localization {
namespace {

const Twist kTwist{{10, 0.5, 0}, {0, 0, kPi}};  // 10 m/s and 180 degrees a second

/// Points that stand still around the sensor, as it sees each at its time from `first_s` to `last_s`.
PointCloud swept(const PointCloud& still, double first_s, double last_s) {
  PointCloud scan;
  const auto count = static_cast<double>(still.size() - 1);
  for (std::size_t k = 0; k < still.size(); ++k) {
    const double t = first_s + (last_s - first_s) * static_cast<double>(k) / count;
    const Transform back = inverse(moved_by(kTwist, t));
    scan.points.push_back(
        cast<float>(rotation_of(back) * cast<double>(still.points[k]) + translation_of(back)));
    scan.times.push_back(static_cast<float>(t));
  }
  return scan;
}

PointCloud ring() {
  PointCloud cloud;
  for (int k = 0; k < 500; ++k) {
    const double angle = 2 * kPi * k / 500;
    cloud.points.push_back(cast<float>(Vec3<double>{50 * std::cos(angle), 50 * std::sin(angle), 0.01 * k}));
  }
  return cloud;
}

double largest_distance_m(const PointCloud& a, const PointCloud& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Vec3<double> d = cast<double>(a.points[k]) - cast<double>(b.points[k]);
    largest = std::max(largest, std::sqrt(dot(d, d)));
  }
  return largest;
}

TEST(Deskew, PutsPointsWhereTheyAreAtTheStampWhereverThatIsInTheSweep) {
  const PointCloud still = ring();
  for (const auto& [first_s, last_s] : {std::pair(-0.05, 0.05), std::pair(0.0, 0.1), std::pair(-0.1, 0.0)}) {
    const PointCloud scan = swept(still, first_s, last_s);
    EXPECT_GT(largest_distance_m(scan, still), 5);
    const Sweep sweep = sweep_of(scan);
    EXPECT_EQ(sweep.fault, "");
    const SweepMotion motion = in_steps(sweep, [](double t) { return moved_by(kTwist, t); });
    RawScanMemory memory;
    const PointCloud moved = prepare_raw(scan, {true, &motion, {}}, memory).prepared.cloud;
    EXPECT_EQ(moved.times, scan.times);
    // A chord of a 32nd of 18 degrees is 0.6 mm off its arc at 50 m.
    EXPECT_LT(largest_distance_m(moved, still), 1e-3) << first_s;
  }
}

TEST(Deskew, TimesThatMakeNoSweepAreToldApart) {
  PointCloud scan = swept(ring(), 0, 0.1);
  scan.times.pop_back();
  EXPECT_EQ(sweep_of(scan).fault, "499 times for 500 points");
  scan.times.push_back(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(sweep_of(scan).fault, "some times are not finite");
  scan.times.assign(500, 0.5F);
  EXPECT_EQ(sweep_of(scan).fault, "all times are 0.5 s");
  scan.times[3] = 1.7e9F;
  EXPECT_EQ(sweep_of(scan).fault, "times from 0.5 to 1.7e+09 s after the stamp, expected within 0.5 s");
}

class SweptDrive : public testing::Test {
 protected:
  Knowing aligner_;
  PointCloud scan_ = swept(ring(), -0.05, 0.05);

  ScanReport drive(Localizer& localizer, int frame) {
    aligner_.truth = along(frame);
    return localizer.localize(0.1 * frame, scan_);
  }
};

TEST_F(SweptDrive, IsDoubtfulUntilAMotionIsKnown) {
  Localizer localizer(aligner_, options());
  localizer.start_at({});
  for (int frame = 0; frame < 4; ++frame) {
    const ScanReport report = drive(localizer, frame);
    EXPECT_TRUE(report.deskew.timed());
    EXPECT_EQ(report.deskew.done, frame >= 1) << "two poses make a velocity";
    EXPECT_EQ(report.deskew.again, frame == 1) << "its own pose is the second";
    EXPECT_EQ(to_string(report.reason), frame >= 1 ? "none" : "not_deskewed");
    EXPECT_EQ(to_string(report.verdict), frame >= 1 ? "ok" : "doubtful");
    EXPECT_NEAR(report.deskew.moved_m, frame >= 1 ? 1.5 : 0, 1e-6);
  }
}

TEST_F(SweptDrive, IsAlignedAgainIfItsPoseTellsAnotherMotion) {
  Localizer localizer(aligner_, options());
  localizer.start_at({});
  for (int frame = 0; frame < 3; ++frame) drive(localizer, frame);
  const auto stop = [&](int frame, double by_m) {
    aligner_.truth = to_transform({3 + by_m, 0, 0, 0, 0, 0}), aligner_.alignments = 0;
    return localizer.localize(0.1 * frame, scan_);
  };
  const ScanReport stopped = stop(3, 0);
  EXPECT_TRUE(stopped.deskew.again);
  EXPECT_EQ(aligner_.alignments, 2);
  EXPECT_NEAR(stopped.deskew.moved_m, 0, 1e-6);
  EXPECT_FALSE(stop(4, 0.029).deskew.again) << "29 mm in a sweep";
  EXPECT_EQ(aligner_.alignments, 1);
}

TEST_F(SweptDrive, TakesTheMotionOfOdometryAndOfTwistsAtOnce) {
  for (const bool twist : {false, true}) {
    LocalizerOptions o = options();
    o.prediction = Prediction::odometry;
    Localizer localizer(aligner_, o);
    localizer.start_at({});
    if (twist) localizer.add_twist({-0.01, {{30, 0, 0}, {}}});
    for (int k = -1; !twist && k < 3; ++k)
      localizer.add_odometry({0.1 * k, to_transform({3.0 * k, 0, 0, 0, 0, 0})});
    const ScanReport report = drive(localizer, 0);
    EXPECT_EQ(to_string(report.verdict), "ok");
    EXPECT_NEAR(report.deskew.moved_m, 3, 1e-4) << twist;
    EXPECT_FALSE(report.deskew.again) << "a measured motion stays";
  }
}

TEST_F(SweptDrive, IsTakenAsItIsWhereItsTimesMakeNoneAndWhereNoneIsAskedFor) {
  LocalizerOptions o = options();
  o.deskew = false;
  Localizer off(aligner_, o), on(aligner_, options());
  off.start_at({}), on.start_at({});
  EXPECT_FALSE(drive(off, 0).deskew.timed());
  scan_.times.assign(scan_.size(), 0);
  const ScanReport report = drive(on, 0);
  EXPECT_EQ(to_string(report.verdict), "ok");
  EXPECT_EQ(report.deskew.fault, "all times are 0 s");
  EXPECT_EQ(report.diagnosis.messages.front(),
            "the points are not moved by their times, which are no sweep: all times are 0 s");
}

}  // namespace
}  // namespace ndt::localization
