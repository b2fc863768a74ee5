// Scans that a driver spoilt: no-returns, a frozen sensor, coordinates that no float holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowing.hpp"
#include "ndt/core/error.hpp"

namespace ndt::localization {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Notes how many points it was given.
class Counting : public Knowing {
 public:
  std::size_t points = 0;
  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override {
    points = host_cloud(scan, "align").size();
    if (refuses) throw InputError("align: precision_lost: too coarse");
    return Knowing::align(scan, guess, per_scan);
  }
  bool refuses = false;
};

PointCloud moved(float by) { return {{}, {{20 + by, 0, 0}, {0, 5, 1}}}; }

TEST(BadScans, NoReturnsAreLeftOutAndCounted) {
  Counting aligner;
  PointCloud scan = kScan;
  scan.points.insert(scan.points.end(), 3, Point{0, 0, 0});
  LocalizerOptions o = options();
  for (const bool keep : {false, true}) {
    o.keep_no_returns = keep;
    Localizer localizer(aligner, o);
    localizer.start_at(along(0));
    const ScanReport report = localizer.localize(0, scan);
    EXPECT_EQ(report.points, keep ? 5 : 2);
    EXPECT_EQ(aligner.points, keep ? 5U : 2U);
    EXPECT_EQ(report.no_returns.zero, keep ? 0 : 3);
    EXPECT_EQ(to_string(report.verdict), "ok");
    EXPECT_EQ(to_string(report.diagnosis.level), "OK") << "they are ordinary";
  }
}

TEST(BadScans, AScanOfNothingButNoReturnsIsEmpty) {
  Counting aligner;
  Localizer localizer(aligner, options());
  localizer.start_at(along(0));
  const ScanReport report = localizer.localize(0, {{}, {{1e10F, 0, 0}, {0, 2e10F, 0}}});
  EXPECT_EQ(to_string(report.reason), "scan_empty");
  EXPECT_EQ(report.no_returns.sentinel, 2);
}

TEST(BadScans, AScanThatTheAlignerRefusesIsAReport) {
  Counting aligner;
  Localizer localizer(aligner, options());
  localizer.start_at(along(0));
  aligner.refuses = true;
  ScanReport report = localizer.localize(0, kScan);
  EXPECT_EQ(to_string(report.verdict), "doubtful");
  EXPECT_EQ(to_string(report.reason), "scan_refused");
  EXPECT_EQ(report.rejected, 1);
  EXPECT_THAT(report.diagnosis.messages, Contains(HasSubstr("precision_lost: too coarse")));
  aligner.refuses = false;
  report = localizer.localize(0.1, kScan);
  EXPECT_EQ(to_string(report.verdict), "ok");
}

TEST(BadScans, AFrozenSensorIsADoubt) {
  Counting aligner;
  LocalizerOptions o = options();
  o.frozen_after = 3;
  Localizer localizer(aligner, o);
  localizer.start_at(along(0));
  const float by[] = {0, 1, 1, 1, 1, 2};
  const char* const expected[] = {"ok", "ok", "ok", "doubtful", "doubtful", "ok"};
  const int same[] = {1, 1, 2, 3, 4, 1};
  for (int k = 0; k < 6; ++k) {
    const ScanReport report = localizer.localize(0.1 * k, moved(by[k]));
    EXPECT_EQ(to_string(report.verdict), expected[k]) << k;
    EXPECT_EQ(report.same_bytes, same[k]) << k;
    EXPECT_EQ(to_string(report.reason), report.verdict == Verdict::ok ? "none" : "scan_frozen");
  }
}

}  // namespace
}  // namespace ndt::localization
