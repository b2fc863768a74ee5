// Tests that every build makes one town: this file and the town's sources are compiled with the suite's
// flags, with -O0 and with -O3, and all must give the bytes below.
#include <gtest/gtest.h>

#include "bytes_of.hpp"
#include "temporary_folder.hpp"
#include "town/other_sensors.hpp"
#include "town/town.hpp"
#include "town/town_plan.hpp"
#include "town/traffic.hpp"

namespace ndt::harness::town {
namespace {

TownBytes written(const TownOptions& options) {
  const TemporaryFolder folder;
  write_town(options, folder.path() / "town");
  return bytes_of(folder.path() / "town");
}

TEST(NDT_TOWN_BUILD, MakesTheBytesOfTheSmallTownWithAnyNumberOfThreads) {
  for (const int threads : {1, 3}) {
    const TownBytes bytes = written({.scale = TownScale::small, .seed = 1, .threads = threads});
    EXPECT_EQ(bytes.map, 0x23A9CFAD5ED0B975) << threads << " threads";
    EXPECT_EQ(bytes.scans, 0xF5839BE68963190B) << threads << " threads";
    EXPECT_EQ(bytes.truth, 0xE5E70139B9184659) << threads << " threads";
  }
}

TEST(NDT_TOWN_BUILD, MakesTheBytesOfAnotherSeed) {
  const TownBytes bytes = written({.scale = TownScale::small, .seed = 0xFEDCBA9876543210, .threads = 2});
  EXPECT_EQ(bytes.map, 0x3D174F11BA3E440B);
  EXPECT_EQ(bytes.scans, 0xDC76B55FA466782E);
}

template <class T>
std::uint64_t checksum_of(const std::vector<T>& values, std::uint64_t hash) {
  return checksum(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)), hash);
}

/// The times and poses that the files have.
std::uint64_t checksum_of(const std::vector<StampedTransform>& poses, std::uint64_t hash) {
  struct Row {
    double time_s;
    Transform pose;
  };
  std::vector<Row> rows;
  for (const StampedTransform& pose : poses) rows.push_back({pose.time_s, pose.map_from_body});
  return checksum_of<Row>(rows, hash);
}

/// Returns the checksum of a short drive: a few coarse sweeps among moving vehicles, and all other sensors.
std::uint64_t checksum_of_drive(TownScale scale) {
  const TownPlan plan = plan_of(scale);
  const World world = build_world(plan, 1);
  const Drive drive = scan_drive(plan);
  const std::vector<ScanStop> stops = scan_stops(plan, drive);
  const Traffic traffic(plan, stops.back().time_s, 2);
  const Lidar lidar({.beams = 16, .azimuths = 64});
  std::uint64_t hash = checksum("");
  std::vector<StampedTransform> truth;
  for (const ScanStop& stop : stops)
    truth.push_back({stop.time_s, sensor_pose(world.ground(), drive.at(stop.along_m))});
  for (std::size_t i = 10; i < stops.size(); i += 30) {
    std::vector<Transform> poses;
    for (int k = 0; k < 64; ++k)
      poses.push_back(sensor_pose(world.ground(), drive.at(stops[i].along_m + k * stops[i].speed_m_s / 640)));
    const auto vehicles = traffic.at(world.ground(), stops[i].time_s, stops[i].along_m);
    hash = checksum_of(lidar.scan(world, vehicles, poses, i), hash);
  }
  hash = checksum_of(gnss_of(truth, Outages::some, 3), hash);
  return checksum_of(odometry_of(truth, 4, 20), hash);
}

TEST(NDT_TOWN_BUILD, MakesTheBytesOfTheOtherDrives) {
  EXPECT_EQ(checksum_of_drive(TownScale::tunnel), 0x84FE82EF9830DA7E);
  EXPECT_EQ(checksum_of_drive(TownScale::field), 0x7F6E301947E34398);
  EXPECT_EQ(checksum_of_drive(TownScale::junction), 0xB23BF2E3D7361D5C);
  EXPECT_EQ(checksum_of_drive(TownScale::kidnap), 0x18E26DD125BD2C52);
}

/// Returns the checksum of coarse scans and of their poses in the map.
std::uint64_t checksum_of_landscape(TownScale scale) {
  TownPlan plan = plan_of(scale);
  plan.lidar.azimuths = 64;
  const World world = build_world(plan, 1);
  const MapFrame frame(world, plan, 2);
  const Drive drive = scan_drive(plan);
  std::uint64_t hash = checksum("");
  std::vector<StampedTransform> truth;
  for (const ScanStop& stop : scan_stops(plan, drive)) {
    const Transform pose = sensor_pose(world.ground(), drive.at(stop.along_m));
    hash = checksum_of(Lidar(plan.lidar).scan(world, pose, truth.size()), hash);
    truth.push_back({stop.time_s, frame.map_from_sensor(pose)});
  }
  return checksum_of(truth, hash);
}

TEST(NDT_TOWN_BUILD, MakesTheBytesOfTheLandscapes) {
  EXPECT_EQ(checksum_of_landscape(TownScale::park), 0x600D0F66B91DE079);
  EXPECT_EQ(checksum_of_landscape(TownScale::oldtown), 0xF94C15F57488E7A8);
  EXPECT_EQ(checksum_of_landscape(TownScale::works), 0xA41A27F143D8B390);
  EXPECT_EQ(checksum_of_landscape(TownScale::woods), 0xA1F4BAFB044B75EC);
}

}  // namespace
}  // namespace ndt::harness::town
