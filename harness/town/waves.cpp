#include "town/waves.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ndt::harness::town {

double wave(double t) {
  const double u = t - 2 * static_cast<double>(whole_below(t / 2));
  return u < 1 ? 4 * u * (1 - u) : -4 * (u - 1) * (2 - u);
}

Waves::Waves(const std::vector<Size>& sizes, std::uint64_t seed) {
  IntegerRandom random(seed);
  for (const Size& size : sizes) {
    const Heading heading = heading_of(between(random, -1, 1));
    const double phase = between(random, 0, 2), per_m = 2 / size.length_m;
    waves_.push_back({per_m * heading.c, per_m * heading.s, phase, size.height_m});
    highest_ += size.height_m;
  }
}

double Waves::height(double x, double y) const {
  double sum = 0;
  for (const Wave& w : waves_) sum += w.height * wave(w.per_x * x + w.per_y * y + w.phase);
  return sum;
}

double Waves::above(const Ray& ray, double t) const {
  const Vec3<double> p = ray.at(t);
  return p.z - height(p.x, p.y);
}

double Waves::hit(const Ray& ray, double enter, double leave) const {
  constexpr double kLeastStep = 0.001;  // a crest that is thinner along the ray may be missed
  constexpr double kSteepest = 4;       // of wave()
  double approach = -ray.along.z;       // the fastest that the ray can come nearer to the ground
  for (const Wave& w : waves_)
    approach += kSteepest * w.height * std::abs(w.per_x * ray.along.x + w.per_y * ray.along.y);
  double before = enter, t = enter;
  if (ray.at(enter).z > highest_) {
    if (ray.along.z >= 0) return kNoHit;
    before = t = (highest_ - ray.from.z) / ray.along.z;
    if (t >= leave) return kNoHit;
  }
  double gap_before = 0, gap = above(ray, t);
  if (gap < 0) return t;
  while (gap >= 0) {
    if (t >= leave || approach <= 0) return kNoHit;
    before = t;
    gap_before = gap;
    t = std::min(t + std::max(gap / approach, kLeastStep), leave);
    gap = above(ray, t);
  }
  return before + (t - before) * (gap_before / (gap_before - gap));
}

}  // namespace ndt::harness::town
