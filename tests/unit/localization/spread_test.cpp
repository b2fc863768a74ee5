// Tests how a localizer uses the spread of an answer's neighbours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowing.hpp"

namespace ndt::localization {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

LocalizerOptions watching(int particles = 0) {
  LocalizerOptions o = options(particles);
  o.spread_neighbours = 4;
  o.spread_offset_m = 1;
  o.spread_bound_m = 0.2;
  return o;
}

/// A vehicle that stands still at the origin.
class Standing : public testing::Test {
 protected:
  Knowing aligner_;

  Localizer started(const LocalizerOptions& o) {
    Localizer localizer(aligner_, o);
    localizer.start_at({});
    return localizer;
  }
};

TEST_F(Standing, IsOkWhereTheNeighboursComeBack) {
  Localizer localizer = started(watching());
  const ScanReport report = localizer.localize(0, kScan);
  EXPECT_EQ(to_string(report.verdict), "ok");
  ASSERT_TRUE(report.spread);
  EXPECT_TRUE(report.spread->known);
  EXPECT_EQ(report.spread->distance_m, 0);
  EXPECT_EQ(aligner_.alignments, 5);
  EXPECT_EQ(to_string(report.diagnosis.level), "OK");
}

TEST_F(Standing, IsDoubtedWhereTheyDoNotThoughItsScoreIsGood) {
  aligner_.basin_m = 0.5;
  Localizer localizer = started(watching());
  for (int frame = 0; frame < 8; ++frame) {
    const ScanReport report = localizer.localize(0.1 * frame, kScan);
    EXPECT_EQ(to_string(report.verdict), "doubtful");
    EXPECT_EQ(to_string(report.reason), "spread");
    EXPECT_EQ(to_string(report.source), "aligned") << "and used";
    EXPECT_EQ(report.aligned->nvtl, 3);
    EXPECT_DOUBLE_EQ(report.spread->distance_m, 1);
    EXPECT_THAT(report.diagnosis.messages, ElementsAre("the spread is 1.000 m, more than 0.2 m"));
  }
}

TEST_F(Standing, IsLostAfterFiveSpreadsThatReject) {
  aligner_.basin_m = 0.5;
  LocalizerOptions o = watching();
  o.spread_reject_m = 0.9;
  Localizer localizer = started(o);
  for (int frame = 0; frame < 6; ++frame) {
    const ScanReport report = localizer.localize(0.1 * frame, kScan);
    EXPECT_EQ(to_string(report.verdict), frame < 4 ? "doubtful" : "lost") << frame;
    EXPECT_EQ(to_string(report.reason), "spread");
    EXPECT_EQ(to_string(report.source), "predicted");
    EXPECT_FALSE(report.covariance);
  }
}

TEST_F(Standing, IsDoubtedWhereANeighbourGivesNoPose) {
  aligner_.basin_m = 0.5;
  aligner_.elsewhere = Stop::no_overlap;
  LocalizerOptions o = watching();
  o.spread_reject_m = 0.9;
  const ScanReport report = started(o).localize(0, kScan);
  EXPECT_EQ(to_string(report.reason), "spread");
  EXPECT_EQ(to_string(report.source), "aligned");
  EXPECT_FALSE(report.spread->known);
  EXPECT_THAT(report.diagnosis.messages, Contains(HasSubstr("the spread is unknown")));
}

TEST_F(Standing, HasItsSpreadLookedAtOnlyIfThereIsAPoseAndSomebodyAsks) {
  EXPECT_FALSE(started(options(0)).localize(0, kScan).spread);
  EXPECT_EQ(aligner_.alignments, 1);
  aligner_.change = [](AlignResult& result) { result.stop = Stop::no_overlap; };
  EXPECT_FALSE(started(watching()).localize(0, kScan).spread);
  EXPECT_EQ(aligner_.alignments, 2);
  aligner_.change = [](AlignResult& result) { result.nvtl = 1; };
  const ScanReport rejected = started(watching()).localize(0, kScan);
  EXPECT_EQ(to_string(rejected.reason), "score");
  EXPECT_TRUE(rejected.spread) << "for whoever compares the detectors";
}

TEST_F(Standing, SharesOneBatchWithTheCovarianceAndLeavesItAsItIs) {
  LocalizerOptions o = watching(), alone = options(0);
  o.covariance = alone.covariance = CovarianceMode::multi_ndt;
  aligner_.basin_m = 0.8;  // two of the six stay where they begin
  o.spread_offset_m = 0.6;
  const ScanReport with = started(o).localize(0, kScan);
  EXPECT_EQ(aligner_.calls.size(), 1u);
  EXPECT_EQ(aligner_.alignments, 1 + 6 + 4);
  const ScanReport without = started(alone).localize(0, kScan);
  EXPECT_EQ(aligner_.calls.size(), 2u);
  EXPECT_EQ(with.spread->distance_m, 0);
  EXPECT_GT((*with.covariance)(0, 0), 0.0225);
  EXPECT_EQ((*with.covariance)(0, 0), (*without.covariance)(0, 0));
  EXPECT_EQ(to_string(with.covariance_by), "multi_ndt");
}

TEST_F(Standing, FindsNothingWhereTheSpreadRejectsWhatASearchFound) {
  aligner_.truth = to_transform({0.5, 0.3, 0, 0, 0, 0});
  LocalizerOptions o = watching(50);
  o.spread_offset_m = 3;  // out of the basin
  o.spread_reject_m = 2;
  Localizer localizer = started(o);
  localizer.start_by_search({{}, {1, 1, 0.1, 0.01, 0.01}});
  for (int attempt = 1; attempt < 3; ++attempt) {
    const ScanReport report = localizer.localize(attempt, kScan);
    EXPECT_EQ(to_string(report.verdict), "lost");
    EXPECT_EQ(to_string(report.reason), "not_found");
    EXPECT_EQ(report.recovery->attempt, attempt) << "and the search goes on, wider";
    EXPECT_DOUBLE_EQ(report.recovery->prior.sigma[0], attempt == 1 ? 1 : 1.5);
    EXPECT_NEAR(report.recovery->spread->distance_m, 3, 1e-12);
    EXPECT_FALSE(report.recovery->found);
  }
  aligner_.basin_m = 4;
  const ScanReport report = localizer.localize(3, kScan);
  EXPECT_EQ(to_string(report.verdict), "ok");
  EXPECT_EQ(report.recovery->spread->distance_m, 0);
  EXPECT_EQ(to_string(localizer.localize(4, kScan).source), "aligned");
}

TEST_F(Standing, BelievesASearchWithALargeSpreadButDoubtsIt) {
  LocalizerOptions o = watching(50);
  o.spread_offset_m = 3;
  Localizer localizer = started(o);
  localizer.start_by_search({{}, {1, 1, 0.1, 0.01, 0.01}});
  const ScanReport report = localizer.localize(0, kScan);
  EXPECT_EQ(to_string(report.source), "searched");
  EXPECT_EQ(to_string(report.verdict), "doubtful");
  EXPECT_EQ(to_string(report.reason), "spread");
}

TEST_F(Standing, TellsItsStagesInTheirOrder) {
  LocalizerOptions o = watching();
  o.covariance = CovarianceMode::multi_ndt_score;
  o.no_ground_height_m = 0.8;
  std::vector<std::string_view> stages;
  const auto note = [&](Stage stage) { stages.push_back(to_string(stage)); };
  Localizer localizer = started(o);
  const ScanReport report = localizer.localize(0, kScan, {}, note);
  EXPECT_THAT(stages, ElementsAre("prediction", "before", "align", "neighbours", "no_ground", "covariance",
                                  "verdict"));
  EXPECT_EQ(report.no_ground->nvtl, 2);
  stages.clear();
  localizer.localize(1, {}, {}, note);
  EXPECT_THAT(stages, ElementsAre("prediction", "verdict")) << "an empty scan";
}

TEST(SpreadOptions, AreRefusedWhereTheyMakeNoSense) {
  Knowing aligner;
  LocalizerOptions o = watching();
  o.spread_reject_m = 0.1;
  EXPECT_THROW(Localizer(aligner, o), std::invalid_argument) << "rejects before it doubts";
  o = watching();
  o.spread_neighbours = 65;
  EXPECT_THROW(Localizer(aligner, o), std::invalid_argument);
  o = watching();
  o.spread_offset_m = 0;
  EXPECT_THROW(Localizer(aligner, o), std::invalid_argument);
}

}  // namespace
}  // namespace ndt::localization
