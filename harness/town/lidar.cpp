#include "town/lidar.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

/// Nearly normal: the sum of four uniform numbers, at most 3.5 sigma.
double noise(std::uint64_t seed, std::uint64_t ray) {
  const std::uint64_t bits = seed_of(seed, ray);
  std::int64_t sum = 0;
  for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int64_t>((bits >> shift) & 0xFFFF);
  constexpr double kSigma = 37837.2;  // of the sum: 65536 / sqrt(3)
  return Lidar::kNoise / kSigma * static_cast<double>(sum - 2 * 65535);
}

}  // namespace

Lidar::Lidar(const LidarModel& model) : beams_(static_cast<std::size_t>(model.beams)) {
  constexpr Heading kStep{0.99998117528260111, 0.0061358846491544753};  // a 1024th of the circle
  Heading step = kStep;
  for (int azimuths = 1024; azimuths > model.azimuths; azimuths /= 2) step = step * step;
  Heading azimuth;
  for (int k = 0; k < model.azimuths; ++k) {
    for (int beam = 0; beam < model.beams; ++beam) {
      const Heading elevation = heading_of(-0.22 + 0.35 * beam / (model.beams - 1));
      directions_.push_back({elevation.c * azimuth.c, elevation.c * azimuth.s, elevation.s});
    }
    azimuth = azimuth * step;
  }
}

std::vector<Millimetres> Lidar::scan(const World& world, std::span<const Solid> passing,
                                     std::span<const Transform> world_from_sensor, std::uint64_t seed) const {
  std::vector<Millimetres> returns;
  Mat3<double> rotation;
  Vec3<double> from;
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const std::size_t azimuth = k / beams_;
    if (k % beams_ == 0 && azimuth < world_from_sensor.size()) {
      rotation = rotation_of(world_from_sensor[azimuth]);
      from = translation_of(world_from_sensor[azimuth]);
    }
    const Ray ray{from, rotation * directions_[k]};
    double range = world.cast(ray, kFarthest);
    for (const Solid& solid : passing) range = std::min(range, hit(solid, ray));
    if (range < kNearest || range > kFarthest) continue;
    returns.push_back(in_millimetres((range + noise(seed, k)) * directions_[k]));
  }
  return returns;
}

}  // namespace ndt::harness::town
