#include "data/courtyard.hpp"

#include "base/integer_random.hpp"

namespace ndt::harness {
namespace {

constexpr std::int64_t kUnitsPerMetre = 1024;

/// Axis-aligned box surface in quarter metres; `share` is its weight among the points.
struct Surface {
  std::int64_t origin_q[3], extent_q[3];
  std::uint64_t share;
  bool sloped = false;
};

constexpr std::int64_t q(double metres) { return static_cast<std::int64_t>(metres * 4); }

constexpr Surface kSurfaces[] = {
    {{q(-32), q(-32), 0}, {q(64), q(64), 0}, 10},        // ground
    {{q(30), q(-32), 0}, {0, q(64), q(6)}, 4},           // wall east
    {{q(-32), q(28), 0}, {q(62), 0, q(5)}, 4},           // wall north
    {{q(-31), q(-32), 0}, {0, q(40), q(3)}, 2},          // wall west, lower
    {{q(-10), q(8), 0}, {q(12), 0, q(7)}, 2},            // house front
    {{q(2), q(8), 0}, {0, q(10), q(7)}, 2},              // house side
    {{q(6), q(-9), 0}, {q(4), 0, q(2)}, 1},              // car side
    {{q(6), q(-11), q(2)}, {q(4), q(2), 0}, 1},          // car roof
    {{q(-15), q(-6), 0}, {q(0.25), q(0.25), q(8)}, 1},   // pole a
    {{q(12), q(3), 0}, {q(0.25), q(0.25), q(8)}, 1},     // pole b
    {{q(-32), q(-4), 0}, {q(40), q(0.25), q(0.25)}, 1},  // kerb
    {{q(16), q(-30), 0}, {q(12), q(12), 0}, 2, true},    // slope
};

constexpr std::uint64_t total_share() {
  std::uint64_t sum = 0;
  for (const Surface& s : kSurfaces) sum += s.share;
  return sum;
}

const Surface& pick(IntegerRandom& random) {
  auto k = static_cast<std::uint64_t>(random.below(static_cast<std::int64_t>(total_share())));
  for (const Surface& s : kSurfaces) {
    if (k < s.share) return s;
    k -= s.share;
  }
  return kSurfaces[0];  // not reached: k < total share
}

Point draw(IntegerRandom& random, const std::int64_t offset_m[3]) {
  const Surface& surface = pick(random);
  std::int64_t v[3];
  for (int axis = 0; axis < 3; ++axis)
    v[axis] =
        surface.origin_q[axis] * (kUnitsPerMetre / 4) + random.below(surface.extent_q[axis] * (kUnitsPerMetre / 4) + 1);
  if (surface.sloped) v[2] += (v[0] - 16 * kUnitsPerMetre) >> 2;  // floor division by 4
  float out[3];
  for (int axis = 0; axis < 3; ++axis) {
    v[axis] += random.below(41) - 20;  // 2 cm of roughness
    v[axis] += offset_m[axis] * kUnitsPerMetre;
    out[axis] = static_cast<float>(static_cast<double>(v[axis]) / static_cast<double>(kUnitsPerMetre));
  }
  return {out[0], out[1], out[2]};
}

}  // namespace

PointCloud make_courtyard(const CourtyardOptions& options) {
  IntegerRandom random(options.seed);
  PointCloud cloud;
  cloud.points.reserve(static_cast<std::size_t>(options.points));
  for (int i = 0; i < options.points; ++i) cloud.points.push_back(draw(random, options.offset_m));
  return cloud;
}

}  // namespace ndt::harness
