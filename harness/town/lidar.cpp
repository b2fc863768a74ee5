#include "town/lidar.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ndt::harness::town {
namespace {

/// Nearly normal: the sum of four uniform numbers, at most 3.5 sigma.
double noise(double noise_m, std::uint64_t seed, std::uint64_t ray) {
  const std::uint64_t bits = seed_of(seed, ray);
  std::int64_t sum = 0;
  for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int64_t>((bits >> shift) & 0xFFFF);
  constexpr double kSigma = 37837.2;  // of the sum: 65536 / sqrt(3)
  return noise_m / kSigma * static_cast<double>(sum - 2 * 65535);
}

/// An equal part of the circle.
Heading step_of(int azimuths) {
  constexpr Heading k900th{0.9999756307053947, 0.0069812602979615525};
  if (azimuths == 900) return k900th;
  Heading step{0.99998117528260111, 0.0061358846491544753};  // a 1024th
  for (int parts = 1024; parts > azimuths; parts /= 2) step = step * step;
  return step;
}

}  // namespace

Lidar::Lidar(const LidarModel& model)
    : beams_(static_cast<std::size_t>(model.beams / model.every_beam)),
      noise_m_(model.noise_m),
      farthest_m_(model.farthest_m) {
  const Heading step = step_of(model.azimuths);
  Heading azimuth;
  for (int k = 0; k < model.azimuths; ++k) {
    for (int beam = 0; beam < model.beams; beam += model.every_beam) {
      const Heading elevation = heading_of(model.lowest + model.upwards * beam / (model.beams - 1));
      directions_.push_back({elevation.c * azimuth.c, elevation.c * azimuth.s, elevation.s});
    }
    azimuth = azimuth * step;
  }
}

std::vector<Millimetres> Lidar::scan(const World& world, std::span<const Solid> passing,
                                     std::span<const Transform> world_from_sensor, std::uint64_t seed,
                                     std::vector<std::size_t>* azimuths) const {
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
    double range = world.cast(ray, farthest_m_);
    for (const Solid& solid : passing) range = std::min(range, hit(solid, ray));
    if (range < kNearest || range > farthest_m_) continue;
    returns.push_back(in_millimetres((range + noise(noise_m_, seed, k)) * directions_[k]));
    if (azimuths != nullptr) azimuths->push_back(azimuth);
  }
  return returns;
}

}  // namespace ndt::harness::town
