// Poses that score well, but from which the scan looks through walls.
#include "ndt/localization/sight_watch.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "knowing.hpp"

namespace ndt::localization {
namespace {

/// A round wall around the origin, of as many points as a sensor of 8 beams sees.
PointCloud wall(double radius_m) {
  PointCloud cloud;
  for (int beam = 0; beam < 8; ++beam)
    for (int k = 0; k < 360; ++k) {
      const double angle = 2 * kPi * k / 360;
      cloud.points.push_back(cast<float>(
          Vec3<double>{radius_m * std::cos(angle), radius_m * std::sin(angle), 0.02 * radius_m * beam}));
    }
  return cloud;
}

class Sight : public testing::Test {
 protected:
  Localizer localizer(LocalizerOptions o = options()) {
    o.sight_every = 3;
    Localizer made(aligner_, o);
    made.use_sight_lines(lines_);
    made.start_at({});
    return made;
  }

  Knowing aligner_;
  std::shared_ptr<const initial_pose::SightLines> lines_ =
      std::make_shared<const initial_pose::SightLines>(wall(20));
};

TEST_F(Sight, LooksAtEveryThirdScanAndTellsOfItTwoScansLater) {
  Localizer follower = localizer();
  for (int frame = 0; frame < 9; ++frame) {
    const ScanReport report = follower.localize(0.1 * frame, wall(20));
    EXPECT_EQ(report.sight.has_value(), frame == 0 || frame == 5 || frame == 8) << frame;
    EXPECT_EQ(to_string(report.verdict), "ok");
  }
}

TEST_F(Sight, LooksAtOnceWhereALookBesideContradicts) {
  Localizer follower = localizer();
  auto reason = [&, frame = 0](double radius_m) mutable {
    return std::string(to_string(follower.localize(0.1 * frame++, wall(radius_m)).reason));
  };
  for (int frame = 0; frame < 3; ++frame) EXPECT_EQ(reason(20), "none");
  EXPECT_EQ(reason(30), "none") << "looked at beside the next two";
  EXPECT_EQ(reason(30), "none");
  EXPECT_EQ(reason(30), "contradicted");
  EXPECT_EQ(reason(20), "none");
}

TEST_F(Sight, ForgetsALookOfBeforeAStart) {
  Localizer follower = localizer();
  for (int frame = 0; frame < 3; ++frame) follower.localize(0.1 * frame, wall(20));
  follower.localize(0.3, wall(30));
  follower.start_at({});
  for (int frame = 0; frame < 3; ++frame)
    EXPECT_EQ(to_string(follower.localize(0.1 * frame, wall(20)).reason), "none") << frame;
}

TEST_F(Sight, DoubtsAScanThatLooksThroughTheWallUntilOneDoesNot) {
  Localizer follower = localizer();
  auto reason = [&, frame = 0](double radius_m) mutable {
    return std::string(to_string(follower.localize(0.1 * frame++, wall(radius_m)).reason));
  };
  EXPECT_EQ(reason(30), "contradicted");
  EXPECT_EQ(reason(30), "contradicted");
  EXPECT_EQ(reason(12), "contradicted") << "it ends before the wall";
  EXPECT_EQ(reason(20), "none");
  EXPECT_EQ(reason(30), "none") << "not looked at";
}

TEST_F(Sight, SaysWhatContradicts) {
  Localizer follower = localizer();
  const ScanReport report = follower.localize(0, wall(30));
  EXPECT_EQ(to_string(report.verdict), "doubtful");
  EXPECT_EQ(to_string(report.source), "aligned") << "the pose is used";
  EXPECT_EQ(report.diagnosis.messages.at(0),
            "what the scan sees contradicts the map: it looks through 100 % of the map's points in view, and "
            "0 % of its "
            "own stand before all of them");
}

TEST_F(Sight, IsOffWithoutLinesAndForZero) {
  LocalizerOptions o = options();
  o.sight_every = 0;
  for (const bool lines : {false, true}) {
    Localizer follower(aligner_, lines ? o : options());
    if (lines) follower.use_sight_lines(lines_);
    follower.start_at({});
    EXPECT_EQ(to_string(follower.localize(0, wall(30)).verdict), "ok");
  }
}

}  // namespace
}  // namespace ndt::localization
