#include "ndt/initial_pose/sight_lines.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <future>
#include <limits>
#include <mutex>
#include <vector>

#include "ndt/exec/helper_threads.hpp"

namespace ndt::initial_pose {
namespace {

constexpr double kSquareM = 16;
constexpr float kOutermostM = 1e8F;  // from the map's origin: what is farther is no measurement
constexpr float kNearestM = 0.8F, kFarthestM = 60;  // nearer is the vehicle, farther directions are too wide
constexpr int kAzimuths = 180, kElevations = 90;    // 45 of either between two axes
constexpr int kDirections = kAzimuths * kElevations;
constexpr float kNothing = std::numeric_limits<float>::infinity();
constexpr float kUnseen = std::numeric_limits<float>::quiet_NaN();

/// Directions by the part of a diamond's circumference in place of the angle, which needs no trigonometry.
/// Without branches, so that compilers work on several points at once.
inline Ray ray_to(float x, float y, float z) {
  constexpr float kPerUnit = kAzimuths / 4, kLeast = 1e-9F;
  const float across = std::sqrt(x * x + y * y);
  const float beside = y / (std::abs(x) + std::abs(y) + kLeast);                 // -1 to 1 in front
  const float around = (x < 0 ? 2.0F : 0.0F) + (x < 0 ? -1.0F : 1.0F) * beside;  // -1 to 3
  const float up = z / (across + std::abs(z) + kLeast);                          // -1 to 1
  const auto turned = static_cast<int>((around + 1) * kPerUnit),
             raised = static_cast<int>((up + 1) * kPerUnit);
  const int azimuth = turned < kAzimuths ? turned : turned - kAzimuths;
  const int elevation = raised < kElevations ? raised : kElevations - 1;
  return {.direction = elevation * kAzimuths + azimuth, .range_m = std::sqrt(across * across + z * z)};
}

/// The nearest range in every direction.
using Ranges = std::vector<float>;

void lower(Ranges& ranges, int direction, float range_m) {
  float& nearest = ranges[static_cast<std::size_t>(direction)];
  nearest = std::min(nearest, range_m);
}

/// The nearest of every direction and the eight around it, for those that have one.
Ranges nearest_around(const Ranges& nearest) {
  Ranges across(kDirections, kNothing), out(kDirections, kNothing);
  for (int row = 0; row < kElevations; ++row)
    for (int column = 0; column < kAzimuths; ++column)
      for (const int beside : {kAzimuths - 1, 0, 1})
        lower(across, row * kAzimuths + column,
              nearest[static_cast<std::size_t>(row * kAzimuths + (column + beside) % kAzimuths)]);
  for (int at = 0; at < kDirections; ++at)
    for (const int from : {at - kAzimuths, at, at + kAzimuths})
      if (from >= 0 && from < kDirections) lower(out, at, across[static_cast<std::size_t>(from)]);
  for (std::size_t at = 0; at < out.size(); ++at)
    if (nearest[at] == kNothing) out[at] = kUnseen;
  return out;
}

/// Of rays towards which others see something, how many stand clearly before it.
struct Before {
  std::size_t compared = 0, before = 0;

  /// others: the nearest_around() of the others.
  void add(const Ray& ray, const Ranges& others) {
    const float nearest = others[static_cast<std::size_t>(ray.direction)];
    compared += nearest == nearest ? 1 : 0;
    before += 1.03F * ray.range_m + 0.3F < nearest ? 1 : 0;
  }
  double share() const {
    return compared == 0 ? 0 : static_cast<double>(before) / static_cast<double>(compared);
  }
};

/// Where a sensor is in the map, and how it is turned.
struct Sensor {
  Vec3<double> at;
  Mat3<double> turn;
};

/// Some of a map's points as a sensor sees them. Loops without branches over plain arrays, so that compilers
/// work on several points at once.
class SeenPoints {
 public:
  static constexpr std::size_t kMost = 256;

  /// x, y, z: `count` coordinates, at most kMost.
  void see(const float* x, const float* y, const float* z, std::size_t count, const Sensor& sensor) {
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3<double> seen = sensor.turn * (Vec3<double>{x[k], y[k], z[k]} - sensor.at);
      x_[k] = static_cast<float>(seen.x), y_[k] = static_cast<float>(seen.y),
      z_[k] = static_cast<float>(seen.z);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const Ray ray = ray_to(x_[k], y_[k], z_[k]);
      directions_[k] = ray.direction, ranges_m_[k] = ray.range_m;
    }
  }
  Ray operator[](std::size_t k) const { return {directions_[k], ranges_m_[k]}; }

 private:
  float x_[kMost], y_[kMost], z_[kMost], ranges_m_[kMost];
  int directions_[kMost];
};

/// What one thread sees of a map: the nearest points, and those that the scan looks through.
struct SeenMap {
  Ranges nearest = Ranges(kDirections, kNothing);
  Before through;

  template <class Square>
  void add(const Square& square, const Sensor& sensor, const Ranges& scan_before) {
    SeenPoints seen;
    for (std::size_t first = 0; first < square.x.size(); first += SeenPoints::kMost) {
      const std::size_t count = std::min(SeenPoints::kMost, square.x.size() - first);
      seen.see(&square.x[first], &square.y[first], &square.z[first], count, sensor);
      for (std::size_t k = 0; k < count; ++k) {
        const Ray ray = seen[k];
        if (!(ray.range_m > kNearestM && ray.range_m < kFarthestM)) continue;
        lower(nearest, ray.direction, ray.range_m);
        through.add(ray, scan_before);
      }
    }
  }
  void add(const SeenMap& other) {
    for (std::size_t at = 0; at < nearest.size(); ++at)
      nearest[at] = std::min(nearest[at], other.nearest[at]);
    through.compared += other.through.compared, through.before += other.through.before;
  }
};

}  // namespace

ScanRays::ScanRays(const PointCloud& scan) {
  Ranges nearest(kDirections, kNothing);
  for (const Point& p : finite_points(scan).points) {
    rays_.push_back(ray_to(p.x, p.y, p.z));
    lower(nearest, rays_.back().direction, rays_.back().range_m);
  }
  before_m_ = nearest_around(nearest);
}

SightLines::SightLines(const PointCloud& map) : origin_(map.origin) {
  const auto square = [](float x) { return std::llround(x / kSquareM); };
  for (const Point& p : finite_points(map, map.origin).points) {
    if (std::abs(p.x) >= kOutermostM || std::abs(p.y) >= kOutermostM) continue;
    Square& in = squares_[{square(p.x), square(p.y)}];
    in.x.push_back(p.x), in.y.push_back(p.y), in.z.push_back(p.z);
  }
}

Sight SightLines::look(const ScanRays& scan, const Transform& map_from_scan) const {
  constexpr std::size_t kHelpers = 3, kPointsOfAThread = 50000;  // which take longer than a thread to start
  const Sensor sensor{translation_of(map_from_scan) - origin_, transpose(rotation_of(map_from_scan))};
  std::vector<const Square*> near;
  std::size_t points = 0;
  for (const auto& [at, square] : squares_) {
    const double x = kSquareM * static_cast<double>(at.first), y = kSquareM * static_cast<double>(at.second);
    if (std::hypot(x - sensor.at.x, y - sensor.at.y) > kFarthestM + kSquareM) continue;
    near.push_back(&square);
    points += square.x.size();
  }
  SeenMap map;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  const auto see_squares = [&] {
    SeenMap mine;
    for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < near.size();)
      mine.add(*near[k], sensor, scan.before_m_);
    const std::lock_guard lock(mutex);
    map.add(mine);
  };
  auto helpers = start_helpers(std::min(kHelpers, points / kPointsOfAThread), std::ref(see_squares));
  see_squares();
  for (std::future<void>& one : helpers) one.get();

  const Ranges map_before = nearest_around(map.nearest);
  Before open;
  for (const Ray& ray : scan.rays_) open.add(ray, map_before);
  const auto rays = static_cast<double>(std::max<std::size_t>(scan.rays_.size(), 1));
  return {map.through.share(), open.share(), static_cast<double>(open.compared) / rays};
}

}  // namespace ndt::initial_pose
