// Raw scans that a device prepares, against the same on the host, bit for bit.
#include <gtest/gtest.h>

#include "bytes.hpp"
#include "device_implementations.hpp"
#include "ndt/align/raw_scan.hpp"
#include "ndt/core/error.hpp"
#include "points_on_device.hpp"
#include "scan_draw.hpp"

namespace ndt {
namespace {

const Transform kBesideTruth = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

class DevicePreparations : public DeviceImplementation {
 protected:
  /// Returns whether the device did it.
  bool expect_same(Aligner& aligner, const PointCloud& cloud, const Scan& raw, const RawScanUse& use,
                   const std::string& name) {
    const HeldRawScan expected = prepare_raw(cloud, use, memory_), got = aligner.hold_raw(raw, use, 3);
    EXPECT_TRUE(harness::same_bits(got.prepared.cloud.points, expected.prepared.cloud.points)) << name;
    EXPECT_EQ(got.prepared.cloud.times, expected.prepared.cloud.times) << name;
    EXPECT_EQ(got.prepared.given_points, expected.prepared.given_points) << name;
    EXPECT_TRUE(same_steps(got.prepared.steps, expected.prepared.steps)) << name;
    EXPECT_EQ(to_text(got.no_returns), to_text(expected.no_returns)) << name;
    if (got.held) {
      const AlignResult held = aligner.align(HeldScan{}, kBesideTruth);
      EXPECT_TRUE(harness::same_bits(held, aligner.align(expected.prepared.cloud, kBesideTruth))) << name;
    }
    return got.by_device;
  }

  RawScanMemory memory_;
};

TEST_P(DevicePreparations, HaveTheBitsOfTheHost) {
  const auto aligner = in_courtyard();
  const int scans = GetParam().name == "persistent_cuda" ? 10000 : 300;
  int by_device = 0;
  for (int k = 0; k < scans && !HasFailure(); ++k) {
    ScanDraw draw(static_cast<unsigned>(k));
    const PointCloud cloud = draw.scan();
    const SweepMotion motion = draw.motion();
    const RawScanUse use{draw.one_in(6), cloud.times.empty() ? nullptr : &motion, draw.filters()};
    by_device += expect_same(*aligner, cloud, cloud, use, "scan " + std::to_string(k));
  }
  EXPECT_GT(by_device, scans / 2) << "most of these scans have nothing for which a device asks the host";
}

TEST_P(DevicePreparations, ReadPointsWhereTheyLie) {
  const auto aligner = in_courtyard();
  for (unsigned seed = 0; seed < 40; ++seed) {
    ScanDraw draw(seed);
    PointCloud cloud = draw.scan();
    cloud.times.clear();
    const RawScanUse use{false, nullptr, draw.filters()};
    for (const Layout& layout : record_layouts())
      expect_same(*aligner, cloud, PointsOnDevice(cloud, layout), use, layout.name);
  }
}

TEST_P(DevicePreparations, LeaveToTheHostWhatTheyCannot) {
  const auto aligner = in_courtyard();
  PointCloud scan = test_clouds::scan();
  const ScanPreparation thin{.voxel_leaf_m = 0.5};
  EXPECT_TRUE(expect_same(*aligner, scan, scan, {false, nullptr, thin}, "plain"));
  EXPECT_FALSE(expect_same(*aligner, scan, scan, {}, "no filter"));
  PointCloud copies = scan;
  for (std::size_t i = 0; i < scan.size(); i += 20) copies.points[i] = {7, 8, 9};
  EXPECT_FALSE(expect_same(*aligner, copies, copies, {false, nullptr, thin}, "copies"));
  EXPECT_FALSE(expect_same(*aligner, copies, PointsOnDevice(copies), {false, nullptr, thin}, "copies there"));
  PointCloud wide = scan;
  wide.points.front() = {5e5F, 5e5F, 0};
  EXPECT_FALSE(expect_same(*aligner, wide, wide, {false, nullptr, thin}, "leaves without numbers"));
}

TEST_P(DevicePreparations, AreRefusedAsByTheHost) {
  const auto aligner = in_courtyard();
  EXPECT_THROW(aligner->hold_raw(test_clouds::scan(), {false, nullptr, {.voxel_leaf_m = 0}}, 1),
               std::invalid_argument);
  EXPECT_THROW(aligner->hold_raw(HeldScan{}, {}, 1), std::invalid_argument);
  EXPECT_THROW(GetParam().make({})->hold_raw(test_clouds::scan(), {}, 1), std::logic_error);
}

TEST_P(DevicePreparations, AnEmptyScanIsHeldAsOne) {
  const auto aligner = in_courtyard();
  const HeldRawScan got = aligner->hold_raw(PointCloud{}, {false, nullptr, {.voxel_leaf_m = 1}}, 1);
  EXPECT_EQ(got.prepared.cloud.size(), 0U);
  const HeldRawScan cropped =
      aligner->hold_raw(test_clouds::scan(), {false, nullptr, {.min_range_m = 900, .voxel_leaf_m = 1}}, 1);
  EXPECT_EQ(cropped.prepared.cloud.size(), 0U);
  EXPECT_EQ(aligner->align(HeldScan{}, kBesideTruth).stop, Stop::no_overlap);
}

NDT_ON_DEVICE_IMPLEMENTATIONS(DevicePreparations);

}  // namespace
}  // namespace ndt
