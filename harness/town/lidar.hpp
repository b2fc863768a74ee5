// A spinning laser scanner: beams at all azimuths, from ahead to the left and around.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ndt/core/pose.hpp"
#include "town/world.hpp"

namespace ndt::harness::town {

struct LidarModel {
  int beams = 64;
  int every_beam = 1;       ///< only every n-th of them sends, from the lowest on
  int azimuths = 1024;      ///< 900, or a power of two up to 1024
  double noise_m = 0.02;    ///< of the range, 1 sigma; at most 3.5 times as much
  double farthest_m = 100;  ///< points beyond are not returned
  /// The lowest beam, and the way from it to the highest one, as tangents of half the angles. These are from
  /// 24.8 degrees below the horizon to 14.8 above.
  double lowest = -0.22, upwards = 0.35;
};

class Lidar {
 public:
  static constexpr double kNearest = 1, kFarthest = LidarModel{}.farthest_m;
  static constexpr double kNoise = LidarModel{}.noise_m;
  static constexpr double kMostNoise = 3.5 * kNoise;  ///< the largest error

  explicit Lidar(const LidarModel& model);

  /// Unit vectors in the sensor's frame, in the order of the returns: azimuth by azimuth.
  const std::vector<Vec3<double>>& directions() const { return directions_; }

  /// Casts all beams from one place and returns the points in the sensor's frame. `seed` draws this scan's
  /// noise.
  std::vector<Millimetres> scan(const World& world, const Transform& world_from_sensor,
                                std::uint64_t seed) const {
    return scan(world, {}, {&world_from_sensor, 1}, seed);
  }
  /// Scans also solids that do not belong to the world, from one place or from one for each azimuth. Each
  /// point is then in the sensor's frame as the sensor was when it looked there. azimuths: gets those of the
  /// points, from 0; may be null.
  std::vector<Millimetres> scan(const World& world, std::span<const Solid> passing,
                                std::span<const Transform> world_from_sensor, std::uint64_t seed,
                                std::vector<std::size_t>* azimuths = nullptr) const;

 private:
  std::vector<Vec3<double>> directions_;
  std::size_t beams_;
  double noise_m_, farthest_m_;
};

}  // namespace ndt::harness::town
