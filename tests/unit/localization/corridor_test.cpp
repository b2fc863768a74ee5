// A corridor without features along it: every estimate must say that its length is what is not known, and the
// neighbours of the answer must not agree.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ndt/localization/localizer.hpp"
#include "registry/registry.hpp"
#include "surfaces.hpp"

namespace ndt::localization {
namespace {

constexpr double kHeading = 0.5;  // of the corridor in the map

PointCloud turned(PointCloud cloud, double yaw) {
  const Mat3<double> rotation = rotation_of(to_transform({0, 0, 0, 0, 0, yaw}));
  for (Point& p : cloud.points) p = cast<float>(rotation * cast<double>(p));
  return cloud;
}

/// A scan of the middle of a place whose map is turned, by a vehicle that looks along it.
ScanReport localized(const char* implementation, const std::vector<test_clouds::Patch>& map,
                     const std::vector<test_clouds::Patch>& scan, CovarianceMode mode) {
  LocalizerOptions options;
  options.covariance = mode;
  options.least_score = 1;
  options.position_variance_m2 = 1e-10;  // or Laplace, which calls everything sharp, would be below the floor
  options.recovery_particles = 0;
  options.spread_neighbours = 6;
  const auto aligner = harness::find_implementation(implementation).make(AlignOptions::textbook());
  aligner->set_map(turned(test_clouds::sampled(map, 40000, 0.05, 1), kHeading));
  Localizer localizer(*aligner, options);
  localizer.start_at(to_transform({0.05, 0.02, 0, 0, 0, kHeading}));
  return localizer.localize(0, test_clouds::sampled(scan, 2000, 0.05, 2));
}

ScanReport in_corridor(const char* implementation, CovarianceMode mode) {
  return localized(implementation, test_clouds::corridor(120, 4, 3), test_clouds::corridor(40, 4, 3), mode);
}

ScanReport in_room(const char* implementation, CovarianceMode mode) {
  const auto room = test_clouds::room(24, 12, 4);
  return localized(implementation, room, room, mode);
}

/// Angle between a covariance's long axis and the corridor, and how much longer it is than the other.
struct LongAxis {
  double off_rad = 0, ratio = 0;
};
LongAxis long_axis(const Mat6& c) {
  const double half = std::hypot((c(0, 0) - c(1, 1)) / 2, c(0, 1)), mean = (c(0, 0) + c(1, 1)) / 2;
  const double heading = std::atan2(2 * c(0, 1), c(0, 0) - c(1, 1)) / 2;
  return {std::abs(std::remainder(heading - kHeading, kPi)), std::sqrt((mean + half) / (mean - half))};
}

TEST(Corridor, TheLongAxisOfEveryEstimatePointsAlongIt) {
  for (const char* implementation : {"persistent_cpu", "cpu_pclomp_ref"})
    for (const CovarianceMode mode :
         {CovarianceMode::laplace, CovarianceMode::multi_ndt, CovarianceMode::multi_ndt_score}) {
      const ScanReport report = in_corridor(implementation, mode);
      ASSERT_TRUE(report.covariance) << implementation << " " << to_string(mode);
      EXPECT_EQ(to_string(report.covariance_by), to_string(mode)) << implementation;
      const LongAxis axis = long_axis(*report.covariance);
      std::printf("%s %s: %.3f rad off the corridor, %.2f times as long\n", implementation,
                  to_string(mode).data(), axis.off_rad, axis.ratio);
      EXPECT_LT(axis.off_rad, 0.1) << implementation << " " << to_string(mode);
      EXPECT_GT(axis.ratio, 1.5) << implementation << " " << to_string(mode);
    }
}

TEST(Corridor, TheNeighboursOfTheAnswerDoNotAgreeAsTheyDoInARoom) {
  for (const char* implementation : {"persistent_cpu", "multikernel_cpu", "cpu_pclomp_ref"}) {
    const ScanReport corridor = in_corridor(implementation, CovarianceMode::fixed),
                     room = in_room(implementation, CovarianceMode::fixed);
    ASSERT_TRUE(corridor.spread && corridor.spread->known && room.spread && room.spread->known);
    std::printf("%s: spread %.4f m in the corridor, %.4f m in the room\n", implementation,
                corridor.spread->distance_m, room.spread->distance_m);
    EXPECT_GT(corridor.spread->distance_m, 0.5) << implementation << ": they begin 1 m from the answer";
    EXPECT_EQ(to_string(corridor.verdict), "doubtful") << implementation;
    EXPECT_FALSE(corridor.judgement.spread_ok) << implementation;
    EXPECT_LT(room.spread->distance_m, 0.05) << implementation;
    EXPECT_EQ(to_string(room.verdict), "ok") << implementation;
  }
}

TEST(Corridor, GnssTellsWhereAlongItTheVehicleIs) {
  AlignOptions align = AlignOptions::textbook();
  align.regularisation_scale = 0.1;  // with 0.01 the noise of the walls holds it better than GNSS pulls
  const auto aligner = harness::find_implementation("persistent_cpu").make(align);
  aligner->set_map(turned(test_clouds::sampled(test_clouds::corridor(120, 4, 3), 40000, 0.05, 1), kHeading));
  const PointCloud scan = test_clouds::sampled(test_clouds::corridor(40, 4, 3), 2000, 0.05, 2);
  LocalizerOptions options;
  options.least_score = 1;
  options.recovery_particles = 0;
  const auto off_after = [&](bool gnss) {
    Localizer localizer(*aligner, options);
    localizer.start_at(to_transform({0, 0, 0, 0, 0, kHeading}) * to_transform({0.8, 0.02, 0, 0, 0, 0}));
    ScanReport report;
    for (int frame = 0; frame < 5; ++frame) {
      if (gnss) localizer.add_gnss({0.1 * frame, {}});
      report = localizer.localize(0.1 * frame, scan);
    }
    const Transform here = inverse(to_transform({0, 0, 0, 0, 0, kHeading})) * report.map_from_scan;
    return std::array{std::abs(here(0, 3)), std::abs(here(1, 3))};
  };
  const auto without = off_after(false), with = off_after(true);
  std::printf("along the corridor %.3f m off, with GNSS %.3f m; across it %.3f and %.3f m\n", without[0],
              with[0], without[1], with[1]);
  EXPECT_GT(without[0], 0.5) << "nothing else tells";
  EXPECT_LT(with[0], 0.15);
  EXPECT_LT(with[1], 0.05) << "across it the walls tell";
}

}  // namespace
}  // namespace ndt::localization
