#include "localize/long_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::harness {
namespace {

using MapWork = LongRun::MapWork;

struct Scan {
  double ms = 1, cpu_ms = 0.9, swap_us = 0;
  bool swapped = false, building = false;
};

LongRun run_of(const std::vector<Scan>& scans) {
  const localization::ScanReport report;
  LongRun run(scans.size(), 1);
  for (std::size_t frame = 0; frame < scans.size(); ++frame) {
    LocalizedScan scan;
    scan.frame = frame, scan.report = &report;
    scan.execution_ms = scans[frame].ms, scan.cpu_ms = scans[frame].cpu_ms;
    scan.map_building = scans[frame].building;
    if (scans[frame].swapped) {
      scan.map_update = localization::MapUpdate();
      scan.map_update->swapped = true, scan.map_update->swap_us = scans[frame].swap_us;
    }
    run.add(scan, std::nullopt);
  }
  return run;
}

TEST(LongRun, ScansAreLateByTheirTimeOrByThatOfTheirThreadAlone) {
  std::vector<Scan> scans(9);
  scans[3] = {.ms = 2.1, .swapped = true};
  scans[5] = {.ms = 2.1};  // others had the core
  scans[7] = {.ms = 1, .cpu_ms = 1.9, .swap_us = 1100, .swapped = true};
  const LongRun run = run_of(scans);
  EXPECT_EQ(run.late().median_ms, 1.0);
  EXPECT_EQ(run.late().scans(), 3u);
  EXPECT_EQ(run.late().of(MapWork::exchange).late, 2u) << "the exchange counts";
  EXPECT_EQ(run.late_by_cpu().median_ms, 0.9);
  EXPECT_EQ(run.late_by_cpu().scans(), 1u);
  EXPECT_EQ(run.late_by_cpu().of(MapWork::exchange).late, 1u);
}

TEST(LongRun, AnExchangeAmongScansThatAreLateAnywayIsNotTheCause) {
  std::vector<Scan> scans(60);
  for (std::size_t k = 10; k < 20; ++k) scans[k].ms = 2.5;  // a stretch with many points
  scans[15].swapped = true;
  scans[40] = {.ms = 2.5, .swapped = true};
  scans[50] = {.ms = 2.5, .building = true};
  scans[55].ms = 2.5;
  const LongRun::Late late = run_of(scans).late();
  EXPECT_EQ(late.scans(), 13u);
  EXPECT_EQ(late.of(MapWork::exchange).scans, 2u);
  EXPECT_EQ(late.of(MapWork::exchange).late, 2u);
  EXPECT_EQ(late.of(MapWork::exchange).alone, 1u) << "the other one is late as the scans around it";
  EXPECT_EQ(late.of(MapWork::building).alone, 1u);
  EXPECT_EQ(late.of(MapWork::none).scans, 57u);
  EXPECT_EQ(late.of(MapWork::none).alone, 3u) << "the first and the last of the stretch, and one by itself";
  EXPECT_DOUBLE_EQ(late.expected(MapWork::exchange), 2 * 3.0 / 57);
}

TEST(LongRun, WhatIsALittleLongerThanTheScansAroundIsLateBecauseOfThem) {
  std::vector<Scan> scans(60);
  for (std::size_t k = 10; k < 20; ++k) scans[k].ms = 1.8;  // a slow host
  scans[15] = {.ms = 2.1, .swapped = true};
  const LongRun::Late late = run_of(scans).late();
  EXPECT_EQ(late.of(MapWork::exchange).late, 1u);
  EXPECT_EQ(late.of(MapWork::exchange).alone, 0u);
}

TEST(LongRun, ScansAroundWithWorkOfTheirOwnDoNotCount) {
  std::vector<Scan> scans(30);
  for (std::size_t k = 10; k <= 20; ++k) scans[k] = {.ms = 2.5, .building = true};
  scans[15] = {.ms = 2.5, .swapped = true};
  const LongRun::Late late = run_of(scans).late();
  EXPECT_EQ(late.of(MapWork::exchange).late, 1u);
  EXPECT_EQ(late.of(MapWork::exchange).alone, 0u) << "no scan around it tells";
  EXPECT_EQ(late.of(MapWork::building).late, 10u);
  EXPECT_EQ(late.of(MapWork::building).alone, 10u);
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
