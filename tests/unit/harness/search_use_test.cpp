// How far the searches of a localisation came, and the time that a scan has for them.
#include "localize/search_use.hpp"

#include <gtest/gtest.h>

namespace ndt::harness {
namespace {

using localization::Recovered;

Recovered share(int attempt, int done, bool found, bool unfinished) {
  Recovered recovered;
  recovered.attempt = attempt, recovered.done = done, recovered.planned = 200;
  recovered.found = found, recovered.unfinished = unfinished;
  return recovered;
}

TEST(SearchUse, CountsSearchesAndTheirScans) {
  SearchUse use;
  use.add(share(1, 100, false, true), 300);
  EXPECT_EQ(use.text(),
            "1 on 1 scans: 0 found a pose; the last came to 100 of 200; 0.30 s on a scan at most");
  use.add(share(1, 200, false, false), 250);
  use.add(share(2, 100, true, true), 900);
  EXPECT_EQ(use.text(),
            "2 on 3 scans: 1 found a pose, after 100 of 200 alignments (median); 0.90 s on a scan at most");
  use.add(share(3, 40, false, true), 100);
  EXPECT_EQ(use.searches, 5u) << "three within the time of one scan";
  use.add(share(1, 100, false, false), 100);
  EXPECT_EQ(use.searches, 6u) << "lost once more, after a scan that was aligned";
}

TEST(SearchUse, AProgressLineSaysHowFarASearchIs) {
  localization::ScanReport report;
  EXPECT_EQ(progress_words(report), "");
  report.recovery = share(3, 100, false, true);
  EXPECT_EQ(progress_words(report), "search 3: 100 of 200");
  report.recovery->found = true;
  EXPECT_EQ(progress_words(report), "");
}

TEST(SearchTime, IsTheSensorsPeriodOnAGpu) {
  std::vector<TimedScan> scans(4);
  for (std::size_t k = 0; k < scans.size(); ++k) scans[k].stamp_s = 0.1 * static_cast<double>(k);
  EXPECT_NEAR(search_time_ms(scans, 1, true), 100, 1e-9);
  EXPECT_NEAR(search_time_ms(scans, 2, true), 50, 1e-9);
  EXPECT_EQ(search_time_ms(scans, 1, false), 1000);
}

}  // namespace
}  // namespace ndt::harness
