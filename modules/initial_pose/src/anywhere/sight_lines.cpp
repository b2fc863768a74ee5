#include "ndt/initial_pose/sight_lines.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <future>
#include <limits>
#include <vector>

#include "around/widest_clone.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/exec/helper_threads.hpp"

namespace ndt::initial_pose {
namespace {

constexpr double kSquareM = 8;
constexpr float kOutermostM = 1e8F;               // from the map's origin: what is farther is no measurement
constexpr float kNearestM = 0.8F, kSightM = 60;   // nearer is the vehicle, farther directions are too wide
constexpr int kAzimuths = 180, kElevations = 90;  // 45 of either between two axes
constexpr int kDirections = kAzimuths * kElevations;
constexpr float kNothing = std::numeric_limits<float>::infinity();
constexpr float kUnseen = std::numeric_limits<float>::quiet_NaN();

/// Directions by the part of a diamond's circumference in place of the angle, which needs no trigonometry.
/// Without branches, so that compilers work on several points at once.
inline __attribute__((always_inline)) Ray ray_to(float x, float y, float z) {
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

std::pair<long long, long long> square_of(double x, double y) {
  return {std::llround(x / kSquareM), std::llround(y / kSquareM)};
}

/// The nearest range in every direction.
using Ranges = std::vector<float>;

void lower(Ranges& ranges, int direction, float range_m) {
  float& nearest = ranges[static_cast<std::size_t>(direction)];
  nearest = std::min(nearest, range_m);
}

/// The nearest of every direction and the eight around it, for those that have one. Rows of elevations, each
/// of which ends where it begins; without branches, so that compilers work on several directions at once.
Ranges nearest_around(const Ranges& nearest) {
  Ranges across(kDirections), out(kDirections);
  float row[kAzimuths + 2];
  for (int first = 0; first < kDirections; first += kAzimuths) {
    const float* at = &nearest[static_cast<std::size_t>(first)];
    row[0] = at[kAzimuths - 1], row[kAzimuths + 1] = at[0];
    std::copy_n(at, kAzimuths, row + 1);
    for (int k = 0; k < kAzimuths; ++k)
      across[static_cast<std::size_t>(first + k)] = std::min(std::min(row[k], row[k + 1]), row[k + 2]);
  }
  const std::vector<float> beyond(kAzimuths, kNothing);
  for (int elevation = 0; elevation < kElevations; ++elevation) {
    const auto row_of = [&](int of) {
      return of < 0 || of == kElevations ? beyond.data() : &across[static_cast<std::size_t>(of * kAzimuths)];
    };
    const float *below = row_of(elevation - 1), *here = row_of(elevation), *above = row_of(elevation + 1);
    const std::size_t first = static_cast<std::size_t>(elevation * kAzimuths);
    for (std::size_t k = 0; k < kAzimuths; ++k) {
      const float least = std::min(std::min(below[k], here[k]), above[k]);
      out[first + k] = nearest[first + k] == kNothing ? kUnseen : least;
    }
  }
  return out;
}

/// Counts rays towards which others see something, and how many of these rays end clearly before it.
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

/// The place of a sensor in the map, and how the sensor is turned.
struct Sensor {
  Vec3<double> at;
  Mat3<double> turn;
};

/// Some of a map's points as a sensor sees them. Loops without branches over plain arrays, so that compilers
/// work on several points at once.
struct SeenPoints {
  static constexpr std::size_t kMost = 256;
  float x[kMost], y[kMost], z[kMost], ranges_m[kMost];
  int directions[kMost];
};

/// x, y, z: `count` coordinates, at most SeenPoints::kMost.
NDT_WIDEST_CLONE void see(const float* x, const float* y, const float* z, std::size_t count,
                          const Sensor& sensor, SeenPoints& out) {
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3<double> seen = sensor.turn * (Vec3<double>{x[k], y[k], z[k]} - sensor.at);
    out.x[k] = static_cast<float>(seen.x), out.y[k] = static_cast<float>(seen.y),
    out.z[k] = static_cast<float>(seen.z);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Ray ray = ray_to(out.x[k], out.y[k], out.z[k]);
    out.directions[k] = ray.direction, out.ranges_m[k] = ray.range_m;
  }
}

/// The part of a map that one thread sees: the nearest points, and those that the scan looks through.
struct SeenMap {
  Ranges nearest = Ranges(kDirections, kNothing);
  Before through;

  template <class Square>
  void add(const Square& square, const Sensor& sensor, const Ranges& scan_before) {
    SeenPoints seen;
    for (std::size_t first = 0; first < square.x.size(); first += SeenPoints::kMost) {
      const std::size_t count = std::min(SeenPoints::kMost, square.x.size() - first);
      see(&square.x[first], &square.y[first], &square.z[first], count, sensor, seen);
      for (std::size_t k = 0; k < count; ++k) {
        const Ray ray{seen.directions[k], seen.ranges_m[k]};
        if (!(ray.range_m > kNearestM && ray.range_m < kSightM)) continue;
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

/// How far across from a place a square of the map begins.
double distance_m(const std::pair<long long, long long>& square, const Vec3<double>& from) {
  const auto beyond = [](long long at, double x) {
    return std::max(std::abs(kSquareM * static_cast<double>(at) - x) - kSquareM / 2, 0.0);
  };
  return std::hypot(beyond(square.first, from.x), beyond(square.second, from.y));
}

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
  for (const Point& p : finite_points(map, map.origin).points) {
    if (std::abs(p.x) >= kOutermostM || std::abs(p.y) >= kOutermostM) continue;
    Square& in = squares_[square_of(p.x, p.y)];
    in.x.push_back(p.x), in.y.push_back(p.y), in.z.push_back(p.z);
  }
}

std::vector<const SightLines::Square*> SightLines::near(const Vec3<double>& from) const {
  constexpr double kReachM = kSightM + 0.1;  // more than what rounding moves a point
  std::vector<const Square*> out;
  if (!(std::abs(from.x) < 2 * kOutermostM && std::abs(from.y) < 2 * kOutermostM)) return out;
  const auto first = square_of(from.x - kReachM, from.y - kReachM),
             last = square_of(from.x + kReachM, from.y + kReachM);
  for (long long column = first.first; column <= last.first; ++column)
    for (auto at = squares_.lower_bound({column, first.second});
         at != squares_.end() && at->first <= std::pair(column, last.second); ++at)
      if (distance_m(at->first, from) < kReachM) out.push_back(&at->second);
  return out;
}

Sight SightLines::look(const ScanRays& scan, const Transform& map_from_scan) const {
  constexpr std::size_t kHelpers = 3, kPointsOfAThread = 50000;  // which take longer than a thread to start
  const Sensor sensor{translation_of(map_from_scan) - origin_, transpose(rotation_of(map_from_scan))};
  const std::vector<const Square*> near = this->near(sensor.at);
  std::size_t points = 0;
  for (const Square* square : near) points += square->x.size();
  const std::size_t most_helpers = std::min(kHelpers, points / kPointsOfAThread);
  std::vector<SeenMap> seen(1 + most_helpers);  // made here, so that new threads take no memory
  std::atomic<std::size_t> threads{0}, next{0};
  const auto see_squares = [&] {
    SeenMap& mine = seen[threads.fetch_add(1, std::memory_order_relaxed)];
    for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < near.size();)
      mine.add(*near[k], sensor, scan.before_m_);
  };
  auto helpers = start_helpers(most_helpers, std::ref(see_squares));
  see_squares();
  for (std::future<void>& one : helpers) one.get();
  SeenMap& map = seen.front();
  for (std::size_t k = 1; k < threads; ++k) map.add(seen[k]);

  const Ranges map_before = nearest_around(map.nearest);
  Before open;
  for (const Ray& ray : scan.rays_) open.add(ray, map_before);
  const auto rays = static_cast<double>(std::max<std::size_t>(scan.rays_.size(), 1));
  return {map.through.share(), open.share(), static_cast<double>(open.compared) / rays};
}

}  // namespace ndt::initial_pose
