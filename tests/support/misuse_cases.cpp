#include "misuse_cases.hpp"

#include <limits>

#include "surfaces.hpp"

namespace ndt::misuse {
namespace {

constexpr int kPoints = 20000;
constexpr double kRoughness_m = 0.01;
constexpr double kFar_m = 5.4e6;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

const Transform kGuess = to_transform({0.2, -0.2, 0.1, 0, 0, 0});  // 0.3 m

PointCloud room(std::uint32_t seed) {
  return test_clouds::sampled(test_clouds::room(20, 15, 4), kPoints, kRoughness_m, seed);
}
const PointCloud& room_map() {
  static const PointCloud cloud = room(1);
  return cloud;
}
const PointCloud& room_scan() {
  static const PointCloud cloud = room(2);
  return cloud;
}

Scene with_map(PointCloud map) { return {std::move(map), room_scan(), kGuess}; }
Scene with_scan(PointCloud scan) { return {room_map(), std::move(scan), kGuess}; }
Scene both(const std::vector<test_clouds::Patch>& patches) {
  return {test_clouds::sampled(patches, kPoints, 0, 3), test_clouds::sampled(patches, kPoints, 0, 4), kGuess};
}

PointCloud repeated(const Point& point, std::size_t times) { return {{}, std::vector<Point>(times, point)}; }
PointCloud with_point(PointCloud cloud, const Point& point) {
  cloud.points.insert(cloud.points.begin() + static_cast<std::ptrdiff_t>(cloud.size() / 2), point);
  return cloud;
}
/// Every tenth point of the result is NaN in one of its coordinates.
PointCloud with_nans(const PointCloud& cloud) {
  PointCloud out;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (i % 9 == 0) out.points.push_back(i % 2 == 0 ? Point{kNaN, 1, 2} : Point{1, 2, kNaN});
    out.points.push_back(cloud.points[i]);
  }
  return out;
}
constexpr std::int64_t kNans = (kPoints + 8) / 9;

/// Points a voxel apart: none has company.
PointCloud sparse() {
  PointCloud cloud;
  for (int i = 0; i < 100; ++i) cloud.points.push_back({1.5F * static_cast<float>(i) - 75, 0, 0});
  return cloud;
}

Transform away(double x) {
  return make_transform(rotation_of(kGuess), translation_of(kGuess) + Vec3<double>{x, 0, 0});
}

Scene corridor() {
  return {test_clouds::sampled(test_clouds::corridor(80, 15, 4), kPoints, kRoughness_m, 5),
          test_clouds::sampled(test_clouds::corridor(30, 15, 4), kPoints, kRoughness_m, 6), kGuess};
}

Case of(std::string name, std::function<Scene()> scene, std::vector<Stop> stops) {
  return {std::move(name), std::move(scene), std::move(stops)};
}
Case refused_map(std::string name, std::function<Scene()> scene, std::string error) {
  return {std::move(name), std::move(scene), {}, std::move(error)};
}
/// Converges to the same bits as the base scene, after dropping so many points.
Case like_base(std::string name, std::function<Scene()> scene, std::int64_t dropped_map,
               std::int64_t dropped_scan) {
  return {std::move(name), std::move(scene), {Stop::converged}, "", "", dropped_map, dropped_scan, true};
}

std::vector<Case> all() {
  const std::vector<Stop> none = {Stop::no_overlap}, degenerate = {Stop::degenerate};
  const std::string no_voxel = "set_map: no valid voxel: ";
  std::vector<Case> out = {
      like_base("baseline", base, 0, 0),
      of(
          "empty_scan", [] { return with_scan({}); }, none),
      {"scan_of_only_nan",
       [] {
         return with_scan(repeated({kNaN, 1, 2}, kPoints));
       },
       none, "", "", 0, kPoints},
      refused_map(
          "empty_map", [] { return with_map({}); }, no_voxel + "0 finite points (0 non-finite"),
      refused_map(
          "map_of_only_nan",
          [] {
            return with_map(repeated({1, kNaN, 2}, kPoints));
          },
          no_voxel + "0 finite points (20000 non-finite"),
      refused_map(
          "map_without_a_voxel_of_six_points", [] { return with_map(sparse()); },
          no_voxel + "100 finite points (0 non-finite dropped) occupy 100 voxels"),
      like_base(
          "a_tenth_of_the_scan_nan", [] { return with_scan(with_nans(room_scan())); }, 0, kNans),
      like_base(
          "a_tenth_of_the_map_nan", [] { return with_map(with_nans(room_map())); }, kNans, 0),
      like_base(
          "one_inf_in_the_scan",
          [] {
            return with_scan(with_point(room_scan(), {0, kInf, 0}));
          },
          0, 1),
      like_base(
          "one_inf_in_the_map",
          [] {
            return with_map(with_point(room_map(), {-kInf, 0, 0}));
          },
          1, 0),
      of(
          "one_point_scan", [] { return with_scan(repeated(room_scan().points[7], 1)); }, degenerate),
      refused_map(
          "one_point_map",
          [] {
            return with_map(repeated({1, 2, 3}, 1));
          },
          no_voxel + "1 finite points"),
      of(
          "exact_plane", [] { return both(test_clouds::plane(20)); }, degenerate),
      of(
          "exact_tilted_plane", [] { return both(test_clouds::plane(20, 0.5)); }, degenerate),
      of(
          "exact_line", [] { return both(test_clouds::line(20)); }, degenerate),
      of(
          "guess_10_km_away",
          [] {
            return Scene{room_map(), room_scan(), away(1e4)};
          },
          none),
      like_base(
          "one_map_point_1000_km_away",
          [] {
            return with_map(with_point(room_map(), {1e6F, 0, 0}));
          },
          0, 0),
      refused_map("float32_map_at_5400_km", far_float, "precision_lost"),
      // An implementation that keeps global float32 coordinates refuses it.
      {"double_map_at_5400_km", far_double, {Stop::converged}, "precision_lost"},
      of("corridor_without_an_end", corridor, {Stop::converged, Stop::degenerate}),
  };
  Case equal = of(
      "all_map_points_equal", [] { return with_map(repeated(room_scan().points[7], kPoints)); }, degenerate);
  equal.map_error = no_voxel;  // an identity start makes a ball of them, otherwise there is no Gaussian
  out.push_back(equal);
  Case far_scan = of("float32_scan_at_5400_km", [] { return with_scan(far_float().map); }, {});
  far_scan.scan_error = "precision_lost";
  out.push_back(far_scan);
  return out;
}

}  // namespace

Scene base() { return {room_map(), room_scan(), kGuess}; }

AlignOptions base_options() {
  AlignOptions options;
  options.resolution_m = 1.0;
  return options;
}

Scene far_float() {
  Scene scene = base();
  for (Point& p : scene.map.points) p.x += static_cast<float>(kFar_m);
  scene.guess = away(kFar_m);
  return scene;
}

Scene far_double() {
  Scene scene = base();
  scene.map.origin = {kFar_m, 0, 0};
  scene.guess = away(kFar_m);
  return scene;
}

const std::vector<BadOption>& bad_options() {
  static const std::vector<BadOption> all = [] {
    std::vector<BadOption> out;
    const auto add = [&](const char* name, const std::vector<std::string>& values, const char* bounds) {
      for (const std::string& value : values) out.push_back({name, value, bounds});
    };
    add("resolution", {"0", "-1", "nan", "1e-06", "1000000000"}, "[0.001, 1000]");
    add("step", {"0", "nan", "1000000"}, "(0, 100]");
    add("max-iterations", {"0", "-1"}, "[1, 1000]");
    add("epsilon", {"0", "-0.5", "nan"}, "(0, 10]");
    add("outlier-ratio", {"0", "1", "-0.1", "nan"}, "(0, 1)");
    return out;
  }();
  return all;
}

std::vector<BadGuess> bad_guesses() {
  Transform nan, no_rotation, scaled, sheared, reflected;
  nan(1, 3) = kNaN;
  for (int i = 0; i < 3; ++i) scaled(i, i) = 2, no_rotation(i, i) = 0;
  sheared(0, 1) = 0.5;
  reflected(2, 2) = -1;
  return {{nan, "entry (1, 3) is nan", "number 8 is 'nan'"},
          {Transform{{}}, "last row must be 0 0 0 1, entry 3 is 0"},
          {no_rotation, "row 0 has length 0 instead of 1 (scale)"},
          {scaled, "row 0 has length 2 instead of 1 (scale)"},
          {sheared, "rows 0 and 1 are not perpendicular, their product is 0.5 instead of 0 (shear)"},
          {reflected, "the determinant is -1 instead of 1 (reflection)"}};
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all_cases = all();
  return all_cases;
}

}  // namespace ndt::misuse
