// Raw scans that several workers prepare, against the filters one after the other.
#include "ndt/align/raw_scan.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "bytes.hpp"
#include "ndt/align/moved_point.hpp"
#include "ndt/exec/host_team.hpp"
#include "scan_draw.hpp"

namespace ndt {
namespace {

HeldRawScan by_single_filters(PointCloud scan, const RawScanUse& use) {
  HeldRawScan out;
  if (!use.keep_no_returns) out.no_returns = drop_no_returns(scan);
  if (use.motion != nullptr)
    for (std::size_t k = 0; k < scan.size(); ++k)
      scan.points[k] = moved_point(*use.motion, scan.times[k], scan.points[k], scan.origin);
  out.prepared = prepare(std::move(scan), use.filters);
  return out;
}

void expect_same(const HeldRawScan& got, const HeldRawScan& expected, const std::string& name) {
  EXPECT_TRUE(harness::same_bits(got.prepared.cloud.points, expected.prepared.cloud.points)) << name;
  EXPECT_EQ(got.prepared.cloud.times, expected.prepared.cloud.times) << name;
  EXPECT_EQ(got.prepared.given_points, expected.prepared.given_points) << name;
  EXPECT_TRUE(same_steps(got.prepared.steps, expected.prepared.steps)) << name;
  EXPECT_EQ(to_text(got.no_returns), to_text(expected.no_returns)) << name;
}

TEST(RawScans, HaveTheSameBitsForAnyNumberOfWorkers) {
  HostPool two(2), three(3), many(11);
  const Workers workers[] = {{}, two.workers(), three.workers(), many.workers()};
  RawScanMemory memory[4];
  for (unsigned seed = 0; seed < 120 && !testing::Test::HasFailure(); ++seed) {
    ScanDraw draw(seed, seed % 3 == 0 ? 60000 : 20000);
    const PointCloud scan = draw.scan();
    const SweepMotion motion = draw.motion();
    const RawScanUse use{draw.one_in(6), scan.times.empty() ? nullptr : &motion, draw.filters()};
    const HeldRawScan expected = by_single_filters(scan, use);
    for (std::size_t w = 0; w < 4; ++w)
      expect_same(prepare_raw(scan, use, memory[w], workers[w]), expected,
                  "scan " + std::to_string(seed) + ", " + std::to_string(workers[w].count) + " workers");
  }
}

TEST(RawScans, FarApartHaveTheSameBitsForAnyNumberOfWorkers) {
  HostPool three(3);
  ScanDraw draw(1, 60000);
  PointCloud scan;
  for (int k = 0; k < 30000; ++k)
    scan.points.push_back(
        {static_cast<float>(draw.between(-4e5, 4e5)), static_cast<float>(draw.whole(0, 9)), 0});
  const RawScanUse use{true, nullptr, {.voxel_leaf_m = 0.001}};  // more leaves than there are numbers
  RawScanMemory memory;
  expect_same(prepare_raw(scan, use, memory, three.workers()), by_single_filters(scan, use), "far apart");
}

TEST(Workers, ThrowWhatTheWorkThrowsAfterAllOfIt) {
  HostPool three(3);
  std::atomic<int> done{0};
  const auto work = [&](std::size_t k) {
    if (k == 5) throw std::runtime_error("the sixth");
    ++done;
  };
  EXPECT_THROW(three.workers().each(20, work), std::runtime_error);
  EXPECT_EQ(done, 19);
}

}  // namespace
}  // namespace ndt
