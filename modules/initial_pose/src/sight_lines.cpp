#include "ndt/initial_pose/sight_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ndt::initial_pose {
namespace {

constexpr double kTileM = 16;
constexpr float kOutermostM = 1e8F;  // from the map's origin: what is farther is no measurement
constexpr float kNearestM = 0.8F, kFarthestM = 60;  // nearer is the vehicle, farther directions are too wide
constexpr int kAzimuths = 180, kElevations = 90;    // 45 of either between two axes
constexpr float kNothing = std::numeric_limits<float>::infinity();

/// A point as its sensor sees it.
struct Ray {
  int direction = 0;  ///< index into a RangeImage
  float range_m = 0;
};

/// Directions by the part of a diamond's circumference in place of the angle, which needs no trigonometry.
Ray ray_to(const Point& p) {
  constexpr float kPerUnit = kAzimuths / 4, kLeast = 1e-9F;
  const float across = std::sqrt(p.x * p.x + p.y * p.y);
  const float beside = p.y / (std::abs(p.x) + std::abs(p.y) + kLeast);  // -1 to 1 in front
  const float around = p.x < 0 ? 2 - beside : beside;                   // -1 to 3
  const float up = p.z / (across + std::abs(p.z) + kLeast);             // -1 to 1
  const auto azimuth = static_cast<int>((around + 1) * kPerUnit) % kAzimuths;
  const auto elevation = std::min(static_cast<int>((up + 1) * kPerUnit), kElevations - 1);
  return {.direction = elevation * kAzimuths + azimuth, .range_m = std::sqrt(across * across + p.z * p.z)};
}

/// Whether something at `range_m` stands clearly before the nearest that was measured.
bool is_clearly_before(float range_m, float nearest_m) { return 1.03F * range_m + 0.3F < nearest_m; }

/// The nearest range in every direction.
class RangeImage {
 public:
  explicit RangeImage(const std::vector<Ray>& rays) : nearest_(kAzimuths * kElevations, kNothing) {
    for (const Ray& ray : rays) lower(nearest_, ray.direction, ray.range_m);
  }

  bool sees(int direction) const { return nearest_[static_cast<std::size_t>(direction)] != kNothing; }
  float operator[](int direction) const { return nearest_[static_cast<std::size_t>(direction)]; }

  /// The nearest of every direction and the eight around it.
  RangeImage blurred() const {
    RangeImage across({}), out({});
    for (int row = 0; row < kElevations; ++row)
      for (int column = 0; column < kAzimuths; ++column)
        for (const int beside : {kAzimuths - 1, 0, 1})
          lower(across.nearest_, row * kAzimuths + column,
                (*this)[row * kAzimuths + (column + beside) % kAzimuths]);
    for (int at = 0; at < kAzimuths * kElevations; ++at)
      for (const int from : {at - kAzimuths, at, at + kAzimuths})
        if (from >= 0 && from < kAzimuths * kElevations) lower(out.nearest_, at, across[from]);
    return out;
  }

 private:
  static void lower(std::vector<float>& ranges, int direction, float range_m) {
    float& nearest = ranges[static_cast<std::size_t>(direction)];
    nearest = std::min(nearest, range_m);
  }

  std::vector<float> nearest_;
};

/// Of the rays towards which the others see something, how many stand clearly before it.
struct Before {
  std::size_t compared = 0, before = 0;
  double share() const {
    return compared == 0 ? 0 : static_cast<double>(before) / static_cast<double>(compared);
  }
};

Before compare(const std::vector<Ray>& rays, const RangeImage& others) {
  const RangeImage nearest = others.blurred();
  Before count;
  for (const Ray& ray : rays) {
    if (!others.sees(ray.direction)) continue;
    ++count.compared;
    count.before += is_clearly_before(ray.range_m, nearest[ray.direction]);
  }
  return count;
}

std::vector<Ray> rays_of(const PointCloud& scan) {
  std::vector<Ray> rays;
  for (const Point& p : finite_points(scan).points) rays.push_back(ray_to(p));
  return rays;
}

}  // namespace

SightLines::SightLines(const PointCloud& map) : origin_(map.origin) {
  const auto tile = [](float x) { return std::llround(x / kTileM); };
  for (const Point& p : finite_points(map, map.origin).points)
    if (std::abs(p.x) < kOutermostM && std::abs(p.y) < kOutermostM)
      tiles_[{tile(p.x), tile(p.y)}].push_back(p);
}

Sight SightLines::look(const PointCloud& scan, const Transform& map_from_scan) const {
  const Vec3<double> sensor = translation_of(map_from_scan) - origin_;
  const Mat3<double> turn = transpose(rotation_of(map_from_scan));
  std::vector<Ray> of_map;
  for (const auto& [tile, points] : tiles_) {
    const double x = kTileM * static_cast<double>(tile.first), y = kTileM * static_cast<double>(tile.second);
    if (std::hypot(x - sensor.x, y - sensor.y) > kFarthestM + kTileM) continue;
    for (const Point& p : points) {
      const Vec3<double> seen = turn * (Vec3<double>{p.x, p.y, p.z} - sensor);
      const Ray ray =
          ray_to({static_cast<float>(seen.x), static_cast<float>(seen.y), static_cast<float>(seen.z)});
      if (ray.range_m > kNearestM && ray.range_m < kFarthestM) of_map.push_back(ray);
    }
  }
  const std::vector<Ray> of_scan = rays_of(scan);
  const Before through = compare(of_map, RangeImage(of_scan));
  const Before open = compare(of_scan, RangeImage(of_map));
  const auto points = static_cast<double>(std::max<std::size_t>(of_scan.size(), 1));
  return {through.share(), open.share(), static_cast<double>(open.compared) / points};
}

}  // namespace ndt::initial_pose
