// The GNSS fixes that are believed, and what the localizer says of the others.
#include "ndt/localization/gnss_gate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowing.hpp"

namespace ndt::localization {
namespace {

using testing::Contains;
using testing::HasSubstr;

Fix fix_at(double x, double y, double sigma_m = 1) {
  return {x, y, {.xx = sigma_m * sigma_m, .xy = 0, .yy = sigma_m * sigma_m}};
}
const Transform kHere;

TEST(GnssGate, TestsTheInnovationWithBothCovariances) {
  GnssGate gate;
  const Fix here = fix_at(0, 0);
  gate.follow_firm(kHere, &here);
  EXPECT_TRUE(gate.passes(fix_at(3.4, 0), kHere));
  EXPECT_FALSE(gate.passes(fix_at(3.6, 0), kHere));
  EXPECT_TRUE(gate.passes(fix_at(3.6, 0, 2), kHere)) << "a fix that is less certain may be farther off";
  EXPECT_FALSE(gate.passes(fix_at(1, 0, 0.1), kHere));
  const Fix along{3, 0, {.xx = 4, .xy = 0, .yy = 0.01}}, across{0, 3, {.xx = 4, .xy = 0, .yy = 0.01}};
  EXPECT_TRUE(gate.passes(along, kHere));
  EXPECT_FALSE(gate.passes(across, kHere));
}

TEST(GnssGate, OpensWhileTheMapLeavesADirectionFree) {
  GnssGate gate;
  gate.follow_firm(kHere, nullptr);
  EXPECT_FALSE(gate.passes(fix_at(20, 0), kHere));
  for (int scan = 0; scan < 100; ++scan) gate.follow_weak(0.1);
  EXPECT_TRUE(gate.passes(fix_at(20, 0), kHere)) << "10 s without a pose that is firm";
  for (int scan = 0; scan < 10000; ++scan) gate.follow_weak(0.1);
  EXPECT_FALSE(gate.passes(fix_at(1000, 0), kHere)) << "no drive is lost by so much";
}

TEST(GnssGate, RemembersAReceiverThatContradictedFirmPoses) {
  GnssGate gate;
  const Fix beside = fix_at(20, 0), here = fix_at(0.5, 0);
  for (int scan = 0; scan < 3; ++scan) gate.follow_firm(kHere, &beside);
  for (int scan = 0; scan < 100; ++scan) gate.follow_weak(0.1);
  EXPECT_FALSE(gate.passes(beside, kHere)) << "the prediction alone would let it pass";
  for (int scan = 0; scan < 9; ++scan) gate.follow_firm(kHere, &here);
  EXPECT_FALSE(gate.passes(here, kHere));
  gate.follow_firm(kHere, &here);
  EXPECT_TRUE(gate.passes(here, kHere)) << "ten good ones in a row";
}

TEST(GnssGate, TakesTheMeanOfAReceiverBesideTheMapOff) {
  GnssGate gate;
  const Fix beside = fix_at(2, -1);
  for (int scan = 0; scan < 9; ++scan) gate.follow_firm(kHere, &beside);
  EXPECT_EQ(gate.corrected(beside).x, 2) << "nine say little";
  for (int scan = 0; scan < 50; ++scan) gate.follow_firm(kHere, &beside);
  EXPECT_NEAR(gate.corrected(beside).x, 0, 1e-9);
  EXPECT_NEAR(gate.corrected(beside).y, 0, 1e-9);
  const Fix outlier = fix_at(90, 0), near = fix_at(0.5, 0.5);
  gate.follow_firm(kHere, &outlier);
  EXPECT_NEAR(gate.corrected(beside).x, 0, 1e-9);
  GnssGate good;
  for (int scan = 0; scan < 50; ++scan) good.follow_firm(kHere, &near);
  EXPECT_EQ(good.corrected(near).x, 0.5) << "within the deviation of a fix";
}

TEST(GnssGate, ForgivesASingleOutlier) {
  GnssGate gate;
  const Fix outlier = fix_at(30, 0), here = fix_at(0, 0);
  for (int scan = 0; scan < 20; ++scan) gate.follow_firm(kHere, scan % 3 == 0 ? &outlier : &here);
  EXPECT_TRUE(gate.passes(here, kHere));
}

/// A drive of 1.5 m every 0.1 s, with fixes beside it.
std::vector<ScanReport> driven(const LocalizerOptions& o, double beside_m,
                               std::optional<PositionCovariance> covariance = {}) {
  Knowing aligner;
  Localizer localizer(aligner, o);
  localizer.start_at(along(0));
  for (int frame = 0; frame < 20; ++frame)
    localizer.add_gnss({0.1 * frame, to_transform({1.5 * frame, beside_m, 0, 0, 0, 0}), covariance});
  std::vector<ScanReport> reports;
  for (int frame = 0; frame < 20; ++frame) {
    aligner.truth = along(frame);
    reports.push_back(localizer.localize(0.1 * frame, kScan));
  }
  return reports;
}

TEST(Gnss, ThatContradictsIsNotUsedAndNamed) {
  const ScanReport report = driven(options(), 14).back();
  EXPECT_EQ(to_string(report.verdict), "ok");
  EXPECT_FALSE(report.regularisation);
  EXPECT_EQ(to_string(report.gnss_miss), "contradicts");
  EXPECT_NEAR(report.gnss_beside_m, 14, 1e-9);
  EXPECT_THAT(report.diagnosis.messages,
              Contains(HasSubstr("GNSS was not used: 14.0 m from the prediction")));
}

TEST(Gnss, HasTheCovarianceOfTheFixOrThatOfTheOptions) {
  EXPECT_TRUE(driven(options(), 2).back().regularisation);
  EXPECT_FALSE(
      driven(options(), 2, PositionCovariance{.xx = 0.04, .xy = 0, .yy = 0.04}).back().regularisation);
  EXPECT_TRUE(driven(options(), 14, PositionCovariance{.xx = 25, .xy = 0, .yy = 25}).back().regularisation);
  LocalizerOptions o = options();
  o.gnss_sigma_m = 5;
  EXPECT_TRUE(driven(o, 14).back().regularisation);
}

TEST(Gnss, AFixThatIsHeldMayLagBehindTheVehicle) {
  Knowing aligner;
  Localizer localizer(aligner, options());
  localizer.start_at(along(0));
  localizer.add_gnss({0, along(0)});
  localizer.add_gnss({0.1, along(1)});
  ScanReport report;
  for (int frame = 0; frame < 6; ++frame) {
    aligner.truth = along(frame);
    report = localizer.localize(0.1 * frame, kScan);
  }
  EXPECT_TRUE(report.regularisation) << "6 m behind, after 0.4 s at 15 m/s";
}

TEST(Gnss, HasABufferOfItsOwn) {
  LocalizerOptions o = options();
  o.gnss_sigma_m = 100;
  Knowing aligner;
  const auto at_3_s = [&] {
    Localizer localizer(aligner, o);
    localizer.start_at(along(0));
    localizer.add_gnss({0, along(0)});
    localizer.add_gnss({0.1, along(1)});
    localizer.localize(0, kScan);
    return localizer.localize(3, kScan);
  };
  EXPECT_EQ(to_string(at_3_s().gnss_miss), "too_old");
  o.gnss_age_s = 1000;
  EXPECT_EQ(to_string(at_3_s().gnss_miss), "none");
}

}  // namespace
}  // namespace ndt::localization
