#include "localize/long_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::harness {
namespace {

TEST(LongRun, ScansAreLateByTheirTimeOrByThatOfTheirThreadAlone) {
  const localization::ScanReport report;
  LongRun run(9, 1);
  for (std::size_t frame = 0; frame < 9; ++frame) {
    LocalizedScan scan;
    scan.frame = frame, scan.report = &report;
    scan.execution_ms = frame == 3 || frame == 5 ? 2.1 : 1.0;  // others had the core
    scan.cpu_ms = frame == 7 ? 1.9 : 0.9;
    if (frame == 3 || frame == 7) scan.map_update = MapUpdate();
    if (frame == 3) scan.map_update->swapped = true;
    if (frame == 7) scan.map_update->swapped = true, scan.map_update->swap_us = 1100;
    run.add(scan, std::nullopt);
  }
  EXPECT_EQ(run.late().median_ms, 1.0);
  EXPECT_EQ(run.late().scans, 3u);
  EXPECT_EQ(run.late().exchanges, 2u) << "the exchange counts";
  EXPECT_EQ(run.late_by_cpu().median_ms, 0.9);
  EXPECT_EQ(run.late_by_cpu().scans, 1u);
  EXPECT_EQ(run.late_by_cpu().exchanges, 1u);
}

TEST(LongRun, AThreadsStopwatchStandsStillWhileItSleeps) {
  const ThreadStopwatch own;
  const Stopwatch wall;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_GE(wall.elapsed_us(), 100000);
  EXPECT_LT(own.elapsed_us(), 50000);
  const double slept_us = own.elapsed_us();
  while (own.elapsed_us() < slept_us + 1000) {
  }  // it goes on while the thread works, or this never ends
}

}  // namespace
}  // namespace ndt::harness
