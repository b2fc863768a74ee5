// A drive into a tunnel that has no features along it: what a constant velocity makes of it, and what GNSS
// does.
#include <gtest/gtest.h>

#include <cmath>

#include "ndt/localization/localizer.hpp"
#include "registry/align_arguments.hpp"
#include "registry/registry.hpp"
#include "town/leaf_sums.hpp"
#include "town/lidar.hpp"
#include "town/other_sensors.hpp"
#include "town/town_plan.hpp"

namespace ndt::localization {
namespace {

namespace town = harness::town;

constexpr double kStartM = 110, kStepM = 1, kPeriodS = 0.1;  // 30 m behind the mouth, 10 m/s
constexpr int kScans = 100;

/// The tunnel with a coarse scanner, in the world's own frame.
class Tunnel {
 public:
  Transform pose(const town::Drive& drive, double along_m) const {
    return town::sensor_pose(world_.ground(), drive.at(along_m));
  }
  Transform truth(int scan) const { return pose(scan_drive_, kStartM + kStepM * scan); }
  PointCloud scan(int scan) const {
    return cloud(lidar_.scan(world_, truth(scan), static_cast<std::uint64_t>(scan)));
  }
  PointCloud map() const {
    constexpr double kMapStepM = 1.25;
    town::LeafSums sums;
    for (double s = kStartM - 40; s < kStartM + kStepM * kScans + 40; s += kMapStepM) {
      const Transform at = pose(map_drive_, s);
      std::vector<town::Millimetres> points = lidar_.scan(world_, at, static_cast<std::uint64_t>(1000 + s));
      for (town::Millimetres& p : points)
        p = town::in_millimetres(rotation_of(at) * town::in_metres(p) + translation_of(at));
      sums.add(town::leaf_run(points));
    }
    return cloud(sums.take_centroids());
  }

 private:
  static PointCloud cloud(const std::vector<town::Millimetres>& points) {
    PointCloud cloud;
    for (const town::Millimetres& p : points) cloud.points.push_back(cast<float>(town::in_metres(p)));
    return cloud;
  }

  const town::TownPlan plan_ = town::plan_of(harness::TownScale::tunnel);
  const town::World world_ = town::build_world(plan_, 1);
  const town::Drive scan_drive_ = town::scan_drive(plan_), map_drive_ = town::map_drive(plan_);
  const town::Lidar lidar_{{.beams = 16, .azimuths = 256}};
};

std::unique_ptr<Aligner> tracker(const PointCloud& map) {
  harness::AlignArguments arguments;
  arguments[&harness::ProfileChoice::profile] = "pyramid";
  auto aligner = harness::find_implementation("persistent_cpu").make(harness::resolve(arguments));
  aligner->set_map(map);
  return aligner;
}

struct Errors {
  double along_rms_m = 0, across_rms_m = 0;
};
/// The road runs along x.
Errors drive_through(const Tunnel& tunnel, Aligner& aligner,
                     const std::vector<harness::StampedTransform>& gnss) {
  LocalizerOptions options;
  options.least_score = 2.4;
  options.recovery_particles = 0;
  Localizer localizer(aligner, options);
  localizer.start_at(tunnel.truth(0));
  for (const harness::StampedTransform& fix : gnss) localizer.add_gnss({fix.time_s, fix.map_from_body});
  Errors sums;
  for (int scan = 0; scan < kScans; ++scan) {
    const ScanReport report = localizer.localize(kPeriodS * scan, tunnel.scan(scan));
    const Vec3<double> error = translation_of(report.map_from_scan) - translation_of(tunnel.truth(scan));
    sums.along_rms_m += error.x * error.x / kScans;
    sums.across_rms_m += error.y * error.y / kScans;
  }
  return {std::sqrt(sums.along_rms_m), std::sqrt(sums.across_rms_m)};
}

TEST(LocalizerInATunnel, GnssHoldsThePoseAlongTheRoad) {
  const Tunnel tunnel;
  const auto aligner = tracker(tunnel.map());
  std::vector<harness::StampedTransform> truth;
  for (int scan = 0; scan < kScans; ++scan) truth.push_back({kPeriodS * scan, tunnel.truth(scan)});
  const Errors without = drive_through(tunnel, *aligner, {});
  const Errors with = drive_through(tunnel, *aligner, town::gnss_of(truth, town::Outages::none, 1));
  RecordProperty("along_without_gnss_m", std::to_string(without.along_rms_m));
  RecordProperty("along_with_gnss_m", std::to_string(with.along_rms_m));
  EXPECT_GT(without.along_rms_m, 5) << "nothing holds it there";
  EXPECT_LT(with.along_rms_m, 1.5);
  EXPECT_LT(with.across_rms_m, 0.05) << "the walls hold it";
}

}  // namespace
}  // namespace ndt::localization
