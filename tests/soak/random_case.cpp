#include "random_case.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "ndt/align/option_table.hpp"
#include "ndt/core/simd.hpp"
#include "surfaces.hpp"

namespace ndt::soak {
namespace {

using test_clouds::Patch;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_.below(n)); }
  bool one_in(int n) { return below(n) == 0; }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(below(1 << 30)) / (1 << 30);
  }
  double either_way(double most) { return real(-most, most); }
  /// Every order of magnitude is as likely.
  double over_magnitudes(double low, double high) { return std::exp(real(std::log(low), std::log(high))); }
  int count(int low, int high) { return static_cast<int>(over_magnitudes(low, high + 1)); }
  std::uint32_t seed() { return static_cast<std::uint32_t>(below(1 << 30)); }
  template <class Enum>
  Enum any() {
    const std::vector<Enum> all = all_values<Enum>();
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }
  Pose offset(double metres, double radians) {
    return {either_way(metres),  either_way(metres),  either_way(metres),
            either_way(radians), either_way(radians), either_way(radians)};
  }

 private:
  harness::IntegerRandom random_;
};

/// Flat patches with noise on every axis; a tiny patch with much noise is a ball.
struct Shape {
  std::string name;
  std::vector<Patch> patches;
  double noise_m = 0;
};

void add_box(Draw& draw, std::vector<Patch>& patches) {
  const Vec3<double> at{draw.either_way(15), draw.either_way(15), draw.real(-1, 1)};
  const Vec3<double> x{draw.real(0.3, 5), 0, 0}, y{0, draw.real(0.3, 5), 0}, z{0, 0, draw.real(0.3, 4)};
  patches.insert(patches.end(), {{at, x, z}, {at, y, z}, {at + x, y, z}, {at + y, x, z}, {at + z, x, y}});
}

Shape random_shape(Draw& draw) {
  const double size_m = draw.over_magnitudes(3, 40);
  Shape shape;
  switch (draw.below(12)) {
    case 0: shape = {"corridor", test_clouds::corridor(size_m, draw.real(2, 15), 4)}; break;
    case 1: shape = {"plane", test_clouds::plane(size_m, draw.either_way(1))}; break;
    case 2: shape = {"line", test_clouds::line(size_m)}; break;
    case 3: shape = {"ball", test_clouds::line(0.01), draw.over_magnitudes(0.05, 5)}; return shape;
    default: shape = {"room", test_clouds::room(size_m, draw.real(3, 20), draw.real(2, 6))};
  }
  const int boxes = draw.one_in(3) ? 0 : draw.below(9);
  for (int k = 0; k < boxes; ++k) add_box(draw, shape.patches);
  shape.name += fmt::format(" and {} boxes", boxes);
  if (!draw.one_in(8)) shape.noise_m = draw.over_magnitudes(0.001, 0.3);
  return shape;
}

Point broken_point(Draw& draw) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  const float bad = std::array{kNaN, kInf, -kInf}[static_cast<std::size_t>(draw.below(3))];
  Point point{1, 2, 3};
  (&point.x)[draw.below(3)] = bad;
  return point;
}

/// Puts up to a third as many points more into the cloud.
template <class Make>
void mix_in(Draw& draw, PointCloud& cloud, Make&& make) {
  if (cloud.empty()) return;
  const int more = 1 + draw.below(static_cast<int>(cloud.size()) / 3 + 1);
  for (int k = 0; k < more; ++k) cloud.points.push_back(make(cloud));
}

/// Spoils a cloud as sensors and drivers do.
void spoil(Draw& draw, PointCloud& cloud, std::string& said) {
  if (draw.one_in(10)) {
    said += ", NaN and inf";
    mix_in(draw, cloud, [&](const PointCloud&) { return broken_point(draw); });
  }
  if (draw.one_in(10)) {
    said += ", duplicates";
    mix_in(draw, cloud, [](const PointCloud& c) { return c.points[c.size() / 2]; });
  }
  if (draw.one_in(10)) {
    const double far_m = draw.over_magnitudes(50, draw.one_in(4) ? 1e30 : 1e5);
    said += fmt::format(", outliers up to {:.3g} m", far_m);
    mix_in(draw, cloud, [&](const PointCloud&) {
      return cast<float>(
          Vec3<double>{draw.either_way(far_m), draw.either_way(far_m), draw.either_way(far_m)});
    });
  }
}

/// A pose of the scan in the map, before the map is put elsewhere.
Transform random_truth(Draw& draw) {
  if (draw.one_in(8)) return to_transform(draw.offset(5, kPi));
  Pose pose = draw.offset(3, 0.1);
  pose.yaw = draw.either_way(kPi);
  if (draw.one_in(20)) pose.pitch = kPi / 2;
  return to_transform(pose);
}

PointCloud seen_from(const Transform& map_from_scan, const PointCloud& map) {
  const Transform scan_from_map = inverse(map_from_scan);
  PointCloud out;
  for (const Point& p : map.points)
    out.points.push_back(
        cast<float>(rotation_of(scan_from_map) * cast<double>(p) + translation_of(scan_from_map)));
  return out;
}

PointCloud random_scan(Draw& draw, const Shape& map_shape, const Transform& truth, std::string& said) {
  const Shape shape = draw.one_in(8) ? random_shape(draw) : map_shape;
  const int points = draw.one_in(12) ? draw.below(9) : draw.count(20, 800);
  said += fmt::format("; scan: {} points of {}, noise {:.3g} m", points, shape.name, shape.noise_m);
  PointCloud scan = seen_from(truth, test_clouds::sampled(shape.patches, points, shape.noise_m, draw.seed()));
  spoil(draw, scan, said);
  return scan;
}

Transform random_guess(Draw& draw, const Transform& truth, std::string& said) {
  double metres = draw.over_magnitudes(1e-3, 2), radians = draw.over_magnitudes(1e-4, 0.3);
  if (draw.one_in(20)) metres = 1000;
  if (draw.one_in(20)) radians = kPi;
  said += fmt::format("; guess within {:.3g} m and {:.3g} rad", metres, radians);
  return truth * to_transform(draw.offset(metres, radians));
}

/// As float32 numbers, or as a double origin.
void put_elsewhere(Draw& draw, RandomCase& out) {
  const double away = draw.over_magnitudes(100, 1e7);
  const Vec3<double> by{draw.either_way(away), draw.either_way(away), draw.either_way(100)};
  const bool as_origin = draw.one_in(2);
  out.said += fmt::format("; all {:.3g} m away as {}", away, as_origin ? "origin" : "float32");
  if (as_origin)
    out.map.origin = by;
  else
    for (Point& p : out.map.points) p = cast<float>(cast<double>(p) + by);
  out.guess = make_transform(rotation_of(out.guess), translation_of(out.guess) + by);
  if (out.per_scan.regularisation)
    out.per_scan.regularisation->x += by.x, out.per_scan.regularisation->y += by.y;
}

void draw_steps(Draw& draw, AlignOptions& options) {
  if (draw.one_in(2)) options.line_search = draw.any<LineSearch>();
  if (draw.one_in(4)) options.step_ratios = draw.any<StepRatios>();
  if (draw.one_in(4)) options.newton_step = draw.any<NewtonStep>();
  if (!draw.one_in(3)) return;
  options.epsilon_m = draw.over_magnitudes(1e-5, 0.1);
  options.step_m = draw.over_magnitudes(0.02, 3);
}

void draw_region(Draw& draw, AlignOptions& options) {
  constexpr double kEdges[] = {16, 8, 6, 4, 2.5, 1.5, 1, 0.5};
  if (draw.one_in(4)) {
    std::vector<double> levels;
    for (const double edge : kEdges)
      if (levels.size() < Limits::kLevels && draw.one_in(3)) levels.push_back(edge);
    if (levels.empty()) levels = {1};
    options.levels = Levels(levels);
  }
  options.negative_curvature = draw.one_in(2) ? 0.5 : draw.real(0, 1);
  if (options.levels.size() > 1 && draw.one_in(3)) options.coarse_stride = 1 + draw.below(16);
}

AlignOptions random_options(Draw& draw) {
  AlignOptions options = std::array{AlignOptions::autoware(),
                                    AlignOptions::autoware(),
                                    AlignOptions::textbook(),
                                    AlignOptions::pyramid(),
                                    AlignOptions::of_a_search(Profile::pyramid),
                                    AlignOptions::windows()}[static_cast<std::size_t>(draw.below(6))];
  options.step_control == StepControl::clamped ? draw_steps(draw, options) : draw_region(draw, options);
  options.resolution_m = draw.one_in(2) ? 2 : draw.over_magnitudes(0.5, 6);
  if (draw.one_in(3)) options.neighbours = draw.any<Neighbours>();
  if (draw.one_in(4)) options.covariance_start = draw.any<CovarianceStart>();
  if (draw.one_in(4)) options.max_iterations = draw.count(1, 200);
  if (draw.one_in(4)) options.outlier_ratio = draw.real(0.01, 0.99);
  if (draw.one_in(4)) options.min_points = 3 + draw.below(12);
  if (draw.one_in(4)) options.eigenvalue_ratio = draw.one_in(4) ? 0 : draw.over_magnitudes(1e-6, 1);
  options.threads = draw.one_in(8) ? 2 + draw.below(3) : 1;
  return options;
}

}  // namespace

RandomCase random_case(std::uint64_t seed) {
  Draw draw(seed);
  RandomCase out;
  out.seed = seed;
  const Shape shape = random_shape(draw);
  const int points = draw.count(300, 10000);
  out.said = fmt::format("map: {} points of {}, noise {:.3g} m", points, shape.name, shape.noise_m);
  out.map = test_clouds::sampled(shape.patches, points, shape.noise_m, draw.seed());
  spoil(draw, out.map, out.said);
  const Transform truth = random_truth(draw);
  out.scan = random_scan(draw, shape, truth, out.said);
  out.guess = random_guess(draw, truth, out.said);
  if (draw.one_in(8)) {
    const Vec3<double> at = translation_of(truth);
    out.per_scan.regularisation = {at.x + draw.either_way(1), at.y + draw.either_way(1)};
  }
  if (draw.one_in(8)) put_elsewhere(draw, out);
  out.options = random_options(draw);
  if (out.per_scan.regularisation) {
    out.options.regularisation_scale = draw.over_magnitudes(1e-3, 10);
    out.said += fmt::format("; pulled to {:.3f}, {:.3f}", out.per_scan.regularisation->x,
                            out.per_scan.regularisation->y);
  }
  for_each_option(kAlignOptions, [&]<class Value>(const Option<AlignOptions, Value>& option) {
    if (out.options.*option.member == AlignOptions{}.*option.member) return;
    if constexpr (std::is_arithmetic_v<Value>)
      out.said += fmt::format("; {} {}", option.name, out.options.*option.member);
    else
      out.said += fmt::format("; {} {}", option.name, to_string(out.options.*option.member));
  });
  return out;
}

}  // namespace ndt::soak
