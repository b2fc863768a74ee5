// Raw scans that a device prepares, against the same on the host, bit for bit.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "bytes.hpp"
#include "device_implementations.hpp"
#include "ndt/align/raw_scan.hpp"
#include "ndt/core/error.hpp"
#include "points_on_device.hpp"

namespace ndt {
namespace {

const Transform kBesideTruth = to_transform({0.4, -0.3, 0.05, 0.01, -0.01, 0.05});

/// A draw of scans and of what is done to them: from plain ones to those with everything odd.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  bool one_in(int n) { return std::uniform_int_distribution(1, n)(random_) == 1; }
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  PointCloud scan() {
    PointCloud cloud;
    if (one_in(4)) cloud.origin = {between(-5, 5), between(-3000, 3000), between(-1, 1)};
    const int n = one_in(10) ? whole(1, 40) : whole(100, 4000);
    const double spread_m = one_in(5) ? 300 : 40;
    for (int i = 0; i < n; ++i) cloud.points.push_back(point(spread_m));
    if (one_in(3)) some(cloud, {0, 0, 0});
    if (one_in(5)) some(cloud, {9999, 9999, 9999});
    if (one_in(5)) some(cloud, {0, 2e8F, 1});
    if (one_in(8)) some(cloud, {12.5F, -3, 1});  // copies
    if (one_in(4)) some(cloud, {std::numeric_limits<float>::quiet_NaN(), 1, 2});
    if (one_in(20)) cloud.points.front() = {1e-30F, 4000, -2};
    if (one_in(3))
      for (int i = 0; i < n; ++i) cloud.times.push_back(static_cast<float>(between(-0.05, 0.05)));
    return cloud;
  }

  ScanPreparation filters() {
    ScanPreparation p;
    if (one_in(2)) p.min_range_m = between(0, 5);
    if (one_in(2)) p.max_range_m = between(6, 100);
    if (one_in(3)) p.crop_box = CropBox{{between(-90, -1), between(-90, -1), -9}, {between(0, 90), 80, 20}};
    if (one_in(3)) p.remove_box = CropBox{{between(-4, -1), -2, -3}, {between(0, 4), 2, 3}};
    if (!one_in(4)) p.voxel_leaf_m = one_in(3) ? between(0.02, 0.2) : between(0.2, 5);
    if (one_in(2)) p.sample_points = whole(1, 3000), p.sample_seed = static_cast<std::uint64_t>(whole(0, 99));
    return p;
  }

  SweepMotion motion() {
    SweepMotion motion;
    motion.first_s = -0.05, motion.last_s = 0.05;
    const double yaw = between(-0.3, 0.3), x = between(-2, 2);
    for (int k = 0; k <= SweepMotion::kSteps; ++k) {
      const double share = static_cast<double>(k) / SweepMotion::kSteps - 0.5;
      const Transform at = to_transform({.x = x * share, .yaw = yaw * share});
      motion.rotations[k] = rotation_of(at), motion.translations[k] = translation_of(at);
    }
    return motion;
  }

 private:
  Point point(double spread_m) {
    const auto on_axis = [&](double limit) { return static_cast<float>(between(-limit, limit)); };
    return {on_axis(spread_m), on_axis(spread_m), on_axis(4)};
  }
  void some(PointCloud& cloud, const Point& p) {
    for (std::size_t i = 0; i < cloud.size(); i += static_cast<std::size_t>(whole(3, 60)))
      cloud.points[i] = p;
  }

  std::mt19937 random_;
};

bool same_steps(const std::vector<FilterStep>& a, const std::vector<FilterStep>& b) {
  return std::ranges::equal(a, b, [](const FilterStep& s, const FilterStep& t) {
    return s.filter == t.filter && s.removed_points == t.removed_points && s.left_points == t.left_points;
  });
}

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
    Draw draw(static_cast<unsigned>(k));
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
    Draw draw(seed);
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
