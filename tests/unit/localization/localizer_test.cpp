// The localizer on an aligner that knows the truth: what is predicted, judged, rejected, searched and said.
#include "ndt/localization/localizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "knowing.hpp"

namespace ndt::localization {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// A drive of 1.5 m every 0.1 s.
class Drive : public testing::Test {
 protected:
  Knowing aligner_;

  ScanReport drive(Localizer& localizer, int frame, const PointCloud& scan = kScan) {
    aligner_.truth = along(frame);
    return localizer.localize(0.1 * frame, scan);
  }
  static Localizer started(Knowing& aligner, const LocalizerOptions& o) {
    Localizer localizer(aligner, o);
    localizer.start_at(along(0));
    return localizer;
  }
};

TEST_F(Drive, IsFollowedFromPoseToPose) {
  Localizer localizer = started(aligner_, options());
  for (int frame = 0; frame < 20; ++frame) {
    const ScanReport report = drive(localizer, frame);
    EXPECT_EQ(to_string(report.verdict), "ok") << frame;
    EXPECT_EQ(to_string(report.source), "aligned");
    EXPECT_EQ(report.map_from_scan(0, 3), 1.5 * frame);
    EXPECT_NEAR(report.moved_m, frame == 1 ? 1.5 : 0, 1e-12) << "the velocity is known from the second on";
    EXPECT_EQ(report.before->nvtl, 2);
    EXPECT_EQ((*report.covariance)(0, 0), 0.0225);
    EXPECT_EQ(to_string(report.diagnosis.level), "OK");
  }
  EXPECT_EQ(aligner_.alignments, 20);
}

TEST_F(Drive, AnAnnouncedScanIsAnnouncedToTheTracker) {
  Localizer localizer(aligner_, options());
  localizer.expect_scan();
  EXPECT_EQ(aligner_.announcements, 1);
}

TEST(Options, TakeTheBoundsOfAMapUnlessTheyWereGiven) {
  LocalizerOptions o, given, by_probability;
  given.least_score = 2.3, given.reliable_nvtl = 2.2;
  by_probability.score = ScoreKind::transform_probability;
  for (LocalizerOptions* options : {&o, &given, &by_probability}) take_bounds(*options, {2.5, 0.8, "", 0.6});
  EXPECT_EQ(o.least_score, 2.5);
  EXPECT_EQ(o.reliable_matched, 0.8);
  EXPECT_TRUE(o.thin_map);
  EXPECT_EQ(given.least_score, 2.3);
  EXPECT_EQ(given.reliable_nvtl, 2.2);
  EXPECT_FALSE(by_probability.least_score) << "another scale";
}

TEST_F(Drive, ARejectedScanKeepsThePredictionAndTheVelocity) {
  Localizer localizer = started(aligner_, options());
  for (int frame = 0; frame < 3; ++frame) drive(localizer, frame);
  aligner_.change = [](AlignResult& result) { result.nvtl = 1; };
  const ScanReport rejected = drive(localizer, 3);
  EXPECT_EQ(to_string(rejected.verdict), "doubtful");
  EXPECT_EQ(to_string(rejected.reason), "score");
  EXPECT_EQ(to_string(rejected.source), "predicted");
  EXPECT_NEAR(rejected.map_from_scan(0, 3), 4.5, 1e-9);
  EXPECT_FALSE(rejected.covariance);
  EXPECT_EQ(rejected.rejected, 1);
  EXPECT_EQ(to_string(rejected.diagnosis.level), "WARN");
  EXPECT_THAT(rejected.diagnosis.messages, Contains("nvtl 1.0000 is not above 2.3"));
  aligner_.change = [](AlignResult&) {};
  const ScanReport next = drive(localizer, 4);
  EXPECT_EQ(to_string(next.verdict), "ok");
  EXPECT_EQ(next.rejected, 0);
}

TEST_F(Drive, WhereThereAreNoScoresWhatConvergesIsOkAndAllElseKeepsThePrediction) {
  struct WithoutScores : Knowing {
    void score_batch(const Scan&, std::span<const Transform>, std::span<Score>) override {
      throw std::invalid_argument("no scores");
    }
  } aligner;
  aligner.basin_m = 1e9;
  LocalizerOptions o;
  o.by_convergence = true, o.recovery_particles = 0, o.frozen_after = 0;
  Localizer localizer = started(aligner, o);
  for (int frame = 0; frame < 8; ++frame) {
    const double wrong_by_m = frame == 7 ? 20 : 0;
    aligner.truth = to_transform({1.5 * frame + wrong_by_m, 0, 0, 0, 0, 0});
    aligner.change = [&](AlignResult& result) {
      result.nvtl = std::numeric_limits<double>::quiet_NaN();
      if (frame == 4) result.stop = Stop::max_iterations, result.map_from_scan = {};
    };
    const ScanReport report = localizer.localize(0.1 * frame, kScan);
    EXPECT_EQ(to_string(report.verdict), frame == 4 ? "doubtful" : "ok") << frame;
    EXPECT_EQ(to_string(report.source), frame == 4 ? "predicted" : "aligned") << frame;
    EXPECT_NEAR(report.map_from_scan(0, 3), 1.5 * frame + wrong_by_m, 1e-9) << frame;
    EXPECT_FALSE(report.before || report.covariance) << frame;
  }
}

TEST_F(Drive, WithoutASearchItIsLostAfterFiveRejectionsUntilAScanIsAccepted) {
  Localizer localizer = started(aligner_, options(0));
  for (int frame = 0; frame < 3; ++frame) drive(localizer, frame);
  aligner_.change = [](AlignResult& result) { result.stop = Stop::no_overlap; };
  double x_m = 3, step_m = 1.5;
  for (int k = 1; k <= 8; ++k) {
    const ScanReport report = drive(localizer, 2 + k);
    EXPECT_EQ(report.rejected, k);
    EXPECT_EQ(to_string(report.verdict), k < 5 ? "doubtful" : "lost");
    EXPECT_EQ(to_string(report.diagnosis.level), k < 5 ? "WARN" : "ERROR");
    if (k <= 5) x_m += step_m, step_m *= std::exp(-0.1);
    EXPECT_NEAR(report.map_from_scan(0, 3), x_m, 1e-9) << "it slows down, and what is lost stands still";
    EXPECT_FALSE(report.recovery);
  }
  aligner_.change = [](AlignResult&) {};
  aligner_.truth = along(7);
  EXPECT_EQ(to_string(localizer.localize(2, kScan).verdict), "ok");
}

TEST_F(Drive, AKidnappedVehicleIsSearchedWiderAndWiderAndFound) {
  Localizer localizer = started(aligner_, options());
  for (int frame = 0; frame < 3; ++frame) drive(localizer, frame);
  double sigma = 0;
  int attempts = 0;
  ScanReport report;
  for (int frame = 3; frame < 100; ++frame) {
    aligner_.truth = to_transform({30, 12, 0, 0, 0, 2});
    report = localizer.localize(0.1 * frame, kScan);
    EXPECT_EQ(report.recovery.has_value(), frame >= 7) << frame;
    if (!report.recovery) continue;
    EXPECT_EQ(report.recovery->attempt, ++attempts);
    EXPECT_EQ(report.recovery->prior.sigma[0], attempts == 1 ? 2 : std::min(1.5 * sigma, 30.0));
    sigma = report.recovery->prior.sigma[0];
    if (report.recovery->found) break;
    EXPECT_EQ(to_string(report.verdict), "lost");
    EXPECT_EQ(to_string(report.reason), "not_found");
  }
  ASSERT_GE(attempts, 2) << "the first search does not reach so far";
  EXPECT_EQ(to_string(report.source), "searched");
  EXPECT_EQ(to_string(report.verdict), "ok");
  EXPECT_LT(translation_error_m(report.map_from_scan, aligner_.truth), 1e-9);
  EXPECT_EQ(to_string(report.diagnosis.level), "WARN") << "a search is worth a look";
  EXPECT_THAT(report.diagnosis.messages, Contains(HasSubstr("found a pose")));
  report = localizer.localize(20, kScan);
  EXPECT_EQ(to_string(report.source), "aligned");
  EXPECT_EQ(report.rejected, 0);
}

TEST_F(Drive, ASearchWithoutAThresholdIsBelievedButDoubted) {
  LocalizerOptions o = options();
  o.reliable_nvtl.reset();
  Localizer localizer(aligner_, o);
  localizer.start_by_search({{}, {1, 1, 0.1, 0.01, 0.01}});
  const ScanReport report = drive(localizer, 0);
  EXPECT_EQ(to_string(report.source), "searched");
  EXPECT_EQ(to_string(report.verdict), "doubtful");
  EXPECT_EQ(to_string(report.reason), "unproven");
}

TEST_F(Drive, IsFollowedWithoutAThresholdButNeverOk) {
  LocalizerOptions o = options();
  o.least_score.reset();
  Localizer localizer = started(aligner_, o);
  for (int frame = 0; frame < 8; ++frame) {
    const ScanReport report = drive(localizer, frame);
    EXPECT_EQ(to_string(report.verdict), "doubtful") << frame;
    EXPECT_EQ(to_string(report.reason), "unproven");
    EXPECT_EQ(to_string(report.source), "aligned");
    EXPECT_EQ(report.rejected, 0);
    EXPECT_NEAR(report.moved_m, frame == 1 ? 1.5 : 0, 1e-12) << "and the velocity is learned";
    EXPECT_THAT(report.diagnosis.messages, Contains("nvtl 3.0000 is not judged: no threshold is known"));
  }
}

TEST_F(Drive, AStartBySearchSearchesFirstWithItsOwnPrior) {
  Localizer localizer(aligner_, options());
  initial_pose::PosePrior prior{{100, 50, 2, 0, 0, 0}, {4, 4, 0.5, 0.02, 0.02}};
  localizer.start_by_search(prior);
  aligner_.truth = to_transform({500, 50, 2, 0, 0, 0});
  const ScanReport missed = localizer.localize(0, kScan);
  EXPECT_EQ(to_string(missed.verdict), "lost");
  EXPECT_EQ(missed.recovery->prior.mean.x, 100);
  EXPECT_EQ(missed.recovery->prior.sigma[0], 4);
  aligner_.truth = to_transform({103, 49, 2, 0, 0, 1});
  const ScanReport found = localizer.localize(0.1, kScan);
  EXPECT_EQ(found.recovery->prior.sigma[0], 6);
  EXPECT_EQ(to_string(found.verdict), "ok");
  EXPECT_EQ(to_string(localizer.localize(0.2, kScan).source), "aligned");
}

TEST_F(Drive, TheSearcherIsAskedForOnlyWhenASearchBegins) {
  Knowing wide;
  int asked = 0;
  Localizer localizer(aligner_, options(), [&]() -> Aligner& { return ++asked, wide; });
  localizer.start_at(along(0));
  for (int frame = 0; frame < 3; ++frame) drive(localizer, frame);
  EXPECT_EQ(asked, 0);
  aligner_.change = [](AlignResult& result) { result.nvtl = 0; };
  for (int frame = 3; frame < 8; ++frame) wide.truth = along(frame), drive(localizer, frame);
  EXPECT_EQ(asked, 1);
  EXPECT_GE(wide.alignments, 50);
}

TEST_F(Drive, ScansThatCannotBeUsedAreRejectedWithoutAnAlignment) {
  Localizer localizer = started(aligner_, options());
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const PointCloud empty, no_number{{}, {{kNaN, 0, 0}}}, near{{}, {{9.9F, 0, 0}, {kNaN, 0, 0}}};
  EXPECT_EQ(to_string(drive(localizer, 0, empty).reason), "scan_empty");
  EXPECT_EQ(to_string(drive(localizer, 1, no_number).reason), "scan_empty");
  const ScanReport report = drive(localizer, 2, near);
  EXPECT_EQ(to_string(report.reason), "scan_short_range");
  EXPECT_EQ(report.points, 1);
  EXPECT_NEAR(report.farthest_m, 9.9, 1e-6);
  EXPECT_EQ(report.rejected, 3);
  EXPECT_EQ(aligner_.alignments, 0);
}

TEST_F(Drive, DoubtfulResultsAreStillUsed) {
  LocalizerOptions o = options();
  o.thin_map = true;
  Localizer localizer = started(aligner_, o);
  aligner_.change = [](AlignResult& result) { result.stop = Stop::degenerate; };
  ScanReport report = drive(localizer, 0);
  EXPECT_TRUE(report.turned && report.turned->known) << "they come back, which a thin map proves too little";
  EXPECT_EQ(to_string(report.verdict), "doubtful");
  EXPECT_EQ(to_string(report.reason), "degenerate");
  EXPECT_EQ(to_string(report.source), "aligned");
  aligner_.change = [](AlignResult& result) { result.map_from_scan = to_transform({3.2, 0, 0, 0, 0, 0}); };
  report = drive(localizer, 1);
  EXPECT_EQ(to_string(report.reason), "jump");
  EXPECT_EQ(report.map_from_scan(0, 3), 3.2);
}

TEST_F(Drive, AFreeDirectionToWhichNeighboursComeBackIsHeld) {
  Localizer localizer = started(aligner_, options());
  aligner_.change = [](AlignResult& result) { result.stop = Stop::degenerate; };
  const ScanReport report = drive(localizer, 0);
  EXPECT_EQ(to_string(report.verdict), "ok");
  EXPECT_THAT(report.diagnosis.messages, Contains(HasSubstr("seems to leave a direction free, but")));
  EXPECT_THAT(report.diagnosis.messages, Contains("the alignment ended as degenerate"));
}

TEST_F(Drive, AJumpFromAPredictionTeachesNoVelocity) {
  Localizer localizer = started(aligner_, options());
  for (int frame = 0; frame < 3; ++frame) drive(localizer, frame);
  aligner_.change = [](AlignResult& result) { result.map_from_scan = to_transform({4.5, 3.5, 0, 0, 0, 0}); };
  EXPECT_EQ(to_string(drive(localizer, 3).reason), "jump");
  aligner_.change = [](AlignResult&) {};
  aligner_.truth = to_transform({6, 3.5, 0, 0, 0, 0});
  const ScanReport next = localizer.localize(0.4, kScan);
  EXPECT_EQ(to_string(next.prediction.by), "none");
  EXPECT_EQ(next.prediction.map_from_scan(1, 3), 3.5) << "35 m/s to the side are no velocity";
  EXPECT_EQ(to_string(next.verdict), "ok");
}

TEST_F(Drive, AFastStartIsLearnedThoughItIsAJump) {
  Localizer localizer = started(aligner_, options());
  drive(localizer, 0);
  aligner_.change = [](AlignResult& result) { result.map_from_scan = to_transform({3.5, 0, 0, 0, 0, 0}); };
  EXPECT_EQ(to_string(drive(localizer, 1).reason), "jump");
  EXPECT_NEAR(drive(localizer, 2).prediction.map_from_scan(0, 3), 7, 1e-9);
}

TEST_F(Drive, AnEstimateThatCannotBeMadeIsSaidAndTheFixedOneGiven) {
  LocalizerOptions o = options();
  o.covariance = CovarianceMode::laplace;
  Localizer localizer = started(aligner_, o);
  aligner_.change = [](AlignResult& result) { result.laplace_covariance = PositionCovariance{7, 0, 8}; };
  ScanReport report = drive(localizer, 0);
  EXPECT_EQ(to_string(report.covariance_by), "laplace");
  EXPECT_EQ((*report.covariance)(1, 1), 8);
  EXPECT_EQ(to_string(report.diagnosis.level), "OK");
  aligner_.change = [](AlignResult&) {};
  report = drive(localizer, 1);
  EXPECT_EQ(to_string(report.verdict), "ok") << "the pose is as good as before";
  EXPECT_EQ(to_string(report.covariance_by), "fixed");
  EXPECT_EQ((*report.covariance)(1, 1), 0.0225);
  EXPECT_EQ(to_string(report.diagnosis.level), "WARN");
  EXPECT_THAT(report.diagnosis.messages,
              Contains("covariance: the score's curvature cannot be inverted; the fixed one is given"));
}

TEST_F(Drive, GnssPositionsAreInterpolatedAndHandedToTheAlignment) {
  Localizer localizer = started(aligner_, options());
  EXPECT_FALSE(drive(localizer, 0).regularisation);
  localizer.add_gnss({0.05, to_transform({1, 0, 0, 0, 0, 0})});
  localizer.add_gnss({0.15, to_transform({3, 2, 0, 0, 0, 0})});
  ScanReport report = drive(localizer, 1);
  ASSERT_TRUE(aligner_.regularisation);
  EXPECT_NEAR(aligner_.regularisation->x, 2, 1e-12);
  EXPECT_NEAR(report.regularisation->y, 1, 1e-12);
  aligner_.truth = along(1);
  report = localizer.localize(1.5, kScan);
  EXPECT_FALSE(aligner_.regularisation);
  EXPECT_EQ(to_string(report.gnss_miss), "too_old");
  EXPECT_THAT(report.diagnosis.messages, Contains("GNSS was not used (too_old)"));
}

TEST_F(Drive, OdometryBridgesScansWithoutAPose) {
  LocalizerOptions o = options(0);
  o.prediction = Prediction::odometry;
  Localizer localizer = started(aligner_, o);
  for (int frame = 0; frame < 30; ++frame) localizer.add_odometry({0.1 * frame, along(frame)});
  aligner_.change = [](AlignResult& result) { result.stop = Stop::non_finite; };
  ScanReport report;
  for (int frame = 0; frame < 20; ++frame) report = drive(localizer, frame);
  EXPECT_EQ(to_string(report.verdict), "lost");
  EXPECT_NEAR(report.map_from_scan(0, 3), 28.5, 1e-9);
  EXPECT_EQ(to_string(report.prediction.by), "odometry");
}

TEST_F(Drive, AStartBeginsAnewAtWhateverTime) {
  Localizer localizer = started(aligner_, options());
  for (int frame = 5; frame < 9; ++frame) drive(localizer, frame);
  EXPECT_THROW(localizer.localize(0, kScan), std::invalid_argument);
  localizer.start_at(along(0));
  ScanReport report = drive(localizer, 0);
  EXPECT_EQ(to_string(report.verdict), "ok");
  EXPECT_EQ(report.rejected, 0);
  drive(localizer, 1);
  localizer.start_by_search({{}, {1, 1, 0.1, 0.01, 0.01}});
  report = drive(localizer, 0);
  EXPECT_EQ(to_string(report.source), "searched");
  EXPECT_EQ(to_string(report.verdict), "ok");
}

TEST_F(Drive, MistakesOfTheCallerAreNamed) {
  Localizer localizer(aligner_, options());
  EXPECT_THROW(localizer.localize(0, kScan), std::logic_error);
  localizer.start_at(along(0));
  localizer.localize(1, kScan);
  for (const double stamp_s : {1.0, 0.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(localizer.localize(stamp_s, kScan), std::invalid_argument) << stamp_s;
  EXPECT_EQ(to_string(localizer.localize(1.1, kScan).verdict), "ok") << "a refused scan changes nothing";
  Transform sheared;
  sheared(0, 1) = 1;
  EXPECT_THROW(localizer.start_at(sheared), std::invalid_argument);
  EXPECT_THROW(Localizer(aligner_, options(0)).start_by_search({}), std::invalid_argument);
  LocalizerOptions bad = options();
  bad.jump_m = 0;
  EXPECT_THROW(Localizer(aligner_, bad), std::invalid_argument);
  bad = options();
  bad.offsets.clear();
  EXPECT_THROW(Localizer(aligner_, bad), std::invalid_argument);
}

TEST(Diagnosis, OnlyRises) {
  Diagnosis diagnosis;
  diagnosis.raise(Level::warn, "a");
  diagnosis.raise(Level::ok, "b");
  EXPECT_EQ(to_string(diagnosis.level), "WARN");
  diagnosis.raise(Level::error, "c");
  diagnosis.raise(Level::warn, "d");
  EXPECT_EQ(to_string(diagnosis.level), "ERROR");
  EXPECT_EQ(diagnosis.messages.size(), 4U);
}

}  // namespace
}  // namespace ndt::localization
