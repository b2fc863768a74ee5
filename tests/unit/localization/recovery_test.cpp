// A search for a lost pose that goes on while scans come in.
#include "ndt/localization/recovery.hpp"

#include <gmock/gmock.h>

#include "knowing.hpp"

namespace ndt::localization {
namespace {

using testing::Contains;
using testing::HasSubstr;

LocalizerOptions shares_of(int share) {
  LocalizerOptions o = options(200);
  o.recovery_share = share;
  return o;
}

const initial_pose::PosePrior kAround{{0, 0, 0, 0, 0, 0}, {1, 1, 0.1, 0.01, 0.01}};

TEST(Recovery, GoesOnAtTheNextScanUntilItFinds) {
  Knowing aligner;
  Localizer localizer(aligner, shares_of(40));
  localizer.start_by_search(kAround);
  aligner.basin_m = 0;
  for (int frame = 0; frame < 2; ++frame) {
    const ScanReport report = localizer.localize(0.1 * frame, kScan);
    EXPECT_EQ(report.recovery->attempt, 1);
    EXPECT_EQ(report.recovery->done, 40 * (frame + 1));
    EXPECT_EQ(report.recovery->planned, 200);
    EXPECT_TRUE(report.recovery->goes_on());
    EXPECT_EQ(to_string(report.verdict), "lost");
    EXPECT_THAT(report.diagnosis.messages, Contains(HasSubstr("of 200 particles and sigma 1.0 m goes on")));
  }
  aligner.basin_m = 2;
  const ScanReport found = localizer.localize(0.2, kScan);
  EXPECT_EQ(found.recovery->done, 120);
  EXPECT_FALSE(found.recovery->goes_on());
  EXPECT_EQ(to_string(found.verdict), "ok");
  EXPECT_EQ(to_string(localizer.localize(0.3, kScan).source), "aligned");
}

TEST(Recovery, DoubtsAnAnswerBeforeTheStartUpIsComplete) {
  Knowing aligner;
  Localizer localizer(aligner, shares_of(40));
  localizer.start_by_search(kAround);
  const ScanReport found = localizer.localize(0, kScan);
  EXPECT_EQ(found.recovery->done, 40);
  EXPECT_EQ(to_string(found.source), "searched");
  EXPECT_EQ(to_string(found.verdict), "doubtful") << "rivals may be unseen";
  EXPECT_EQ(to_string(localizer.localize(0.1, kScan).verdict), "ok");
}

TEST(Recovery, SearchesWiderAfterAStartUpThatFoundNothing) {
  Knowing aligner;
  aligner.truth = to_transform({500, 0, 0, 0, 0, 0});
  LocalizerOptions o = shares_of(100);
  o.recovery_most_m = 1.5;
  Localizer localizer(aligner, o);
  localizer.start_by_search(kAround);
  std::vector<int> attempts, done;
  for (int frame = 0; frame < 5; ++frame) {
    const ScanReport report = localizer.localize(0.1 * frame, kScan);
    attempts.push_back(report.recovery->attempt);
    done.push_back(report.recovery->done);
    EXPECT_EQ(report.recovery->prior.sigma[0], frame < 1 ? 1 : 1.5);
  }
  EXPECT_EQ(attempts, (std::vector{1, 2, 2, 3, 3})) << "where it grows no more, guided particles look closer";
  EXPECT_EQ(done, (std::vector{100, 100, 200, 100, 200}));
}

TEST(Recovery, FollowsTheOdometryFromShareToShare) {
  Knowing aligner;
  LocalizerOptions o = shares_of(99);
  o.prediction = Prediction::odometry;
  Localizer localizer(aligner, o);
  for (int k = 0; k < 3; ++k) localizer.add_odometry({0.1 * k, to_transform({7.0 * k, 0, 0, 0, 0, 0}), {}});
  localizer.start_by_search(kAround);
  aligner.change = [](AlignResult& result) { result.nvtl = std::min(result.nvtl, 2.0); };
  EXPECT_TRUE(localizer.localize(0, kScan).recovery->goes_on());
  aligner.change = [](AlignResult&) {};
  aligner.truth = to_transform({7, 0, 0, 0, 0, 0});
  const ScanReport found = localizer.localize(0.1, kScan);
  const initial_pose::Particle& carried = found.recovery->particles.front();
  EXPECT_EQ(carried.role, initial_pose::Role::carried);
  EXPECT_NEAR(carried.start.x, 7, 1e-9) << "where the leader ended, 7 m ahead";
  EXPECT_EQ(to_string(found.source), "searched");
  EXPECT_LT(translation_error_m(found.map_from_scan, aligner.truth), 1e-9);
}

TEST(Recovery, SearchesWiderAndWiderWithinItsTime) {
  Knowing aligner;
  aligner.truth = to_transform({8, 0, 0, 0, 0, 0});
  LocalizerOptions o = shares_of(100);
  o.recovery_ms = 1e6;
  Localizer localizer(aligner, o);
  localizer.start_by_search(kAround);
  const ScanReport found = localizer.localize(0, kScan);
  EXPECT_EQ(to_string(found.verdict), "ok");
  EXPECT_GT(found.recovery->attempt, 2);
  EXPECT_EQ(found.recovery->done, 100);
  EXPECT_EQ(std::ranges::count(found.recovery->particles, initial_pose::Role::proposed,
                               &initial_pose::Particle::role),
            100 * found.recovery->attempt);
  o.recovery_ms = 1e-3;
  Localizer hurried(aligner, o);
  hurried.start_by_search(kAround);
  EXPECT_EQ(hurried.localize(0, kScan).recovery->attempt, 1) << "one share at least";
}

TEST(Recovery, EndsWithTheCallersLimit) {
  Knowing aligner;
  Localizer localizer(aligner, shares_of(40));
  localizer.start_by_search(kAround);
  std::stop_source stop;
  stop.request_stop();
  PerScan limits;
  limits.stop = stop.get_token();
  const ScanReport ended = localizer.localize(0, kScan, limits);
  EXPECT_EQ(ended.recovery->interrupted, Stop::cancelled);
  EXPECT_FALSE(ended.recovery->goes_on());
  EXPECT_EQ(localizer.localize(0.1, kScan).recovery->attempt, 2);
}

}  // namespace
}  // namespace ndt::localization
