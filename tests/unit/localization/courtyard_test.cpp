// Whole localisations in the courtyard: a drive whose scans are the courtyard's own, seen from elsewhere.
#include <gtest/gtest.h>

#include <cstring>

#include "ndt/localization/localizer.hpp"
#include "registry/registry.hpp"
#include "test_clouds.hpp"

namespace ndt::localization {
namespace {

constexpr int kFrames = 8;

/// Half a metre and one degree a scan.
Transform truth_of(int frame) { return to_transform({0.5 * frame - 2, 0.1 * frame, 0, 0, 0, 0.02 * frame}); }

/// The courtyard's scan, which was taken at the origin, as a vehicle at that pose would see it.
PointCloud seen_from(const Transform& pose) {
  const Transform back = inverse(pose);
  PointCloud scan;
  for (const Point& p : test_clouds::scan().points)
    scan.points.push_back(cast<float>(rotation_of(back) * cast<double>(p) + translation_of(back)));
  return scan;
}

LocalizerOptions without_searches() {
  LocalizerOptions options;
  options.least_score = 2.3;
  options.recovery_particles = 0;
  return options;
}

struct Trip {
  const char* implementation = "persistent_cpu";
  Vec3<double> moved;  ///< map and start, from where they are
  LocalizerOptions options = without_searches();
  std::optional<StampedPose> gnss{};  ///< the vehicle is told that it is here, all the time
  double regularisation_scale = 0.01;
  int threads = 1;
  AlignOptions align{};  ///< with these two in it
};

std::vector<ScanReport> drive(const Trip& trip) {
  AlignOptions options = trip.align;
  options.regularisation_scale = trip.regularisation_scale;
  options.threads = trip.threads;
  const auto aligner = harness::find_implementation(trip.implementation).make(options);
  PointCloud map = test_clouds::map();
  map.origin = map.origin + trip.moved;
  aligner->set_map(map);
  Localizer localizer(*aligner, trip.options);
  const Transform by = make_transform(rotation_of(Transform{}), trip.moved);
  localizer.start_at(by * truth_of(0) * to_transform({0.2, -0.1, 0, 0, 0, 0.01}));
  std::vector<ScanReport> reports;
  for (int frame = 0; frame < kFrames; ++frame) {
    if (trip.gnss) localizer.add_gnss({0.1 * frame, trip.gnss->pose, trip.gnss->covariance});
    reports.push_back(localizer.localize(0.1 * frame, seen_from(truth_of(frame))));
  }
  return reports;
}

/// Compares the spreads where both reports have one.
bool same_spread(const ScanReport& a, const ScanReport& b) {
  if (!a.spread || !b.spread) return true;
  return a.spread->known && b.spread->known && a.spread->distance_m == b.spread->distance_m &&
         a.spread->rotation_rad == b.spread->rotation_rad;
}

bool same_bits(const std::vector<ScanReport>& a, const std::vector<ScanReport>& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::memcmp(&a[k].map_from_scan, &b[k].map_from_scan, sizeof(Transform)) != 0 ||
        std::memcmp(&*a[k].covariance, &*b[k].covariance, sizeof(Mat6)) != 0 || !same_spread(a[k], b[k]))
      return false;
  return true;
}

TEST(LocalizerInTheCourtyard, EveryOwnImplementationFollowsTheDrive) {
  for (const Implementation& entry : harness::implementations()) {
    if (entry.peer || !entry.unavailable_reason().empty()) continue;
    const std::vector<ScanReport> reports = drive({.implementation = entry.name.data(), .moved = {}});
    for (int frame = 0; frame < kFrames; ++frame) {
      const ScanReport& report = reports[static_cast<std::size_t>(frame)];
      EXPECT_EQ(to_string(report.verdict), "ok") << entry.name << " frame " << frame;
      // The courtyard's own golden answers are up to 3 cm from its truth.
      EXPECT_LT(translation_error_m(report.map_from_scan, truth_of(frame)), 0.05)
          << entry.name << " " << frame;
    }
  }
}

TEST(LocalizerInTheCourtyard, AReportHasTheFinishOfItsAlignment) {
  Trip trip;
  trip.align = AlignOptions::pyramid();
  trip.options.covariance = CovarianceMode::multi_ndt;
  trip.options.spread_neighbours = 3;
  EXPECT_FALSE(drive(trip).back().aligned->finish);
  trip.align.finish = Finish::windows;
  for (const char* implementation : {"cpu_pclomp_ref", "multikernel_cpu", "persistent_cpu"}) {
    trip.implementation = implementation;
    const std::vector<ScanReport> reports = drive(trip);
    for (std::size_t k = 0; k < reports.size(); ++k) {
      const ScanReport& report = reports[k];
      EXPECT_EQ(to_string(report.verdict), "ok") << implementation << " " << k;
      ASSERT_TRUE(report.aligned && report.aligned->finish) << implementation << " " << k;
      EXPECT_LT(report.aligned->finish->step_m, 0.1) << implementation << " " << k;
      EXPECT_LT(translation_error_m(report.map_from_scan, truth_of(static_cast<int>(k))), 0.003)
          << implementation << " " << k;
      EXPECT_LT(report.spread->distance_m, 0.003) << implementation << " " << k;
    }
  }
}

TEST(LocalizerInTheCourtyard, TheSameInputGivesTheSameBitsForAnyNumberOfThreads) {
  for (const CovarianceMode mode : all_values<CovarianceMode>()) {
    Trip trip;
    trip.options.covariance = mode;
    trip.options.spread_neighbours = mode == CovarianceMode::multi_ndt ? 3 : 0;
    const std::vector<ScanReport> first = drive(trip);
    EXPECT_TRUE(same_bits(first, drive(trip))) << to_string(mode);
    trip.threads = 3;
    EXPECT_TRUE(same_bits(first, drive(trip))) << to_string(mode);
  }
}

TEST(LocalizerInTheCourtyard, EveryImplementationFindsTheSameSmallSpread) {
  Trip trip;
  trip.options.spread_neighbours = 3;
  const std::vector<ScanReport> expected = drive(trip);
  for (const char* implementation : {"multikernel_cpu", "cpu_pclomp_ref"}) {
    trip.implementation = implementation;
    const std::vector<ScanReport> got = drive(trip);
    double apart_m = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_TRUE(got[k].spread && got[k].spread->known) << implementation << " " << k;
      EXPECT_LT(got[k].spread->distance_m, 0.05) << implementation << " " << k;
      apart_m = std::max(apart_m, std::abs(got[k].spread->distance_m - expected[k].spread->distance_m));
    }
    std::printf("%s: the spread is up to %.2g m another\n", implementation, apart_m);
    EXPECT_LT(apart_m, 1e-5) << implementation;
  }
}

TEST(LocalizerInTheCourtyard, LookingBesideChangesNeitherPoseNorCovariance) {
  Trip trip;
  trip.options.covariance = CovarianceMode::multi_ndt;
  const std::vector<ScanReport> alone = drive(trip);
  trip.options.spread_neighbours = 3;
  EXPECT_TRUE(same_bits(alone, drive(trip)));
}

void expect_moved(const std::vector<ScanReport>& here, const std::vector<ScanReport>& there,
                  const Vec3<double>& by, double within) {
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t k = 0; k < here.size(); ++k) {
    const Transform expected = make_transform(rotation_of(Transform{}), by) * here[k].map_from_scan;
    EXPECT_LT(translation_error_m(there[k].map_from_scan, expected), within) << k;
    EXPECT_LT(rotation_error_rad(there[k].map_from_scan, expected), within) << k;
  }
}

TEST(LocalizerInTheCourtyard, MovingMapAndStartTogetherMovesTheTrajectory) {
  const std::vector<ScanReport> here = drive({.moved = {}}), far = drive({.moved = {6400, -3200, 20}}),
                                farther = drive({.moved = {91400, -43200, 20}});
  // Maps whose origins are in the middle of a kilometre are alike if they are whole kilometres apart.
  expect_moved(far, farther, {85000, -40000, 0}, 1e-6);
  // Half a kilometre from their origin, coordinates in float32 are up to 3e-5 m off.
  expect_moved(here, far, {6400, -3200, 20}, 1e-4);
}

TEST(LocalizerInTheCourtyard, GnssPullsAlongTheHeadingOnly) {
  Trip trip;
  const std::vector<ScanReport> without = drive(trip);
  trip.regularisation_scale = 0.03;
  for (const double side : {0.0, 1.5}) {  // ahead and to the left of the whole drive
    trip.gnss = {0, truth_of(0) * to_transform({6, side, 0, 0, 0, 0}),
                 PositionCovariance{.xx = 25, .xy = 0, .yy = 25}};
    const std::vector<ScanReport> with = drive(trip);
    ASSERT_EQ(with[0].gnss_miss, Miss::too_few) << "one pose alone is not interpolated";
    ASSERT_EQ(to_string(with[1].source), "aligned");
    const Transform pull = inverse(without[1].map_from_scan) * with[1].map_from_scan;
    EXPECT_GT(pull(0, 3), 0.02) << side;
    EXPECT_LT(std::abs(pull(1, 3)), 0.2 * pull(0, 3)) << side;
  }
}

}  // namespace
}  // namespace ndt::localization
