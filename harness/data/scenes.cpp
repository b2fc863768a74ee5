// Scenes that ask whether an answer can be believed: each has a map, a scan and a guess of its own. In most
// of them an alignment cannot end at the right pose; in scenes_honest it should.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "data/dataset_name.hpp"
#include "data/scene_worlds.hpp"
#include "data/sources.hpp"

namespace ndt::harness {
namespace {

constexpr std::string_view kPrefix = "scenes_";
constexpr std::uint64_t kSeed = 2026;  // of names without a seed

struct Scene {
  SceneWorld map_world, scan_world;
  Transform truth, guess;
  double noise_m;
};

struct Family {
  std::string_view name, description;
  int scenes;
  bool has_pose;  ///< false: the scan does not belong on the map
  Scene (*make)(IntegerRandom& random);
  void (*change_map)(PointCloud& map, const Scene& scene) = nullptr;
  void (*change_scan)(PointCloud& scan, IntegerRandom& random) = nullptr;
};

/// As good as odometry's.
constexpr GuessNoise kGuess{.xy_m = 0.3, .z_m = 0.05, .roll_pitch_rad = 0.01, .yaw_rad = 0.05};

Scene scene_in(SceneWorld map_world, SceneWorld scan_world, IntegerRandom& random) {
  const Vec3<double> place = free_place(scan_world, random);
  Pose pose{.x = place.x, .y = place.y, .z = place.z};
  pose.roll = between(random, -0.02, 0.02);
  pose.pitch = between(random, -0.02, 0.02);
  pose.yaw = between(random, -kPi, kPi);
  const double noise_m = between(random, 0.01, 0.04);
  const auto seed = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 32));
  const Transform truth = to_transform(pose);
  return {std::move(map_world), std::move(scan_world), truth, noisy_guess(truth, kGuess, seed, 0), noise_m};
}
Scene scene_in(const SceneWorld& world, IntegerRandom& random) { return scene_in(world, world, random); }

/// Moved in the frame of the map.
Transform moved(const Transform& pose, double x_m, double y_m) {
  return make_transform(rotation_of(pose), translation_of(pose) + Vec3<double>{x_m, y_m, 0});
}

double either_way(IntegerRandom& random, double least, double most) {
  const double size = between(random, least, most);
  return random.below(2) == 0 ? -size : size;
}

/// A hall, a street or a grove.
SceneWorld any_world(IntegerRandom& random) {
  switch (random.below(3)) {
    case 0: return hall(random, random);
    case 1: return street(random);
    default: return grove(random);
  }
}
Scene honest(IntegerRandom& random) { return scene_in(any_world(random), random); }

Scene in_corridor(IntegerRandom& random) {
  Scene scene = scene_in(corridor(random), random);
  scene.guess = moved(scene.guess, either_way(random, 0.5, 3), 0);
  return scene;
}

Scene on_plain(IntegerRandom& random) {
  Scene scene = scene_in(plain(), random);
  const double x_m = either_way(random, 0.5, 2);
  scene.guess = moved(scene.guess, x_m, either_way(random, 0.5, 2));
  return scene;
}

Scene in_tank(IntegerRandom& random) {
  Scene scene = scene_in(tank(random), random);
  scene.guess = to_transform({.yaw = either_way(random, 0.35, 1.6)}) * scene.guess;
  return scene;
}

Scene a_period_off(IntegerRandom& random) {
  const bool indoors = random.below(2) == 0;
  const double period_m = indoors ? between(random, 5, 8) : between(random, 10, 14);
  Scene scene = scene_in(indoors ? car_park(random, period_m) : terrace(random, period_m), random);
  scene.guess = moved(scene.guess, random.below(2) == 0 ? -period_m : period_m, 0);
  return scene;
}

Scene far_guess(IntegerRandom& random) {
  Scene scene = scene_in(any_world(random), random);
  const double x_m = either_way(random, 3, 10);
  const double y_m = either_way(random, 3, 10);
  const Vec3<double> there = translation_of(scene.guess) + Vec3<double>{x_m, y_m, 0};
  const Mat3<double> turn = rotation_of(to_transform({.yaw = either_way(random, 0.8, kPi)}));
  scene.guess = make_transform(turn * rotation_of(scene.guess), there);
  return scene;
}

Scene other_place(IntegerRandom& random) {
  const SceneWorld there = any_world(random);
  const SceneWorld here = any_world(random);
  return scene_in(there, here, random);
}

/// A scene with the same walls and pillars around other things.
Scene other_floor(IntegerRandom& random) {
  IntegerRandom outline = random, same_outline = random;
  const SceneWorld there = hall(outline, random);
  const SceneWorld here = hall(same_outline, random);
  return scene_in(there, here, random);
}

/// Keeps the map points that one voxel of the default size holds.
void keep_one_voxel(PointCloud& map, const Scene& scene) {
  constexpr double kEdge = 2;
  const Vec3<double> truth = translation_of(scene.truth);
  const auto range_of = [&](const Point& p) {
    return std::hypot(p.x - truth.x, p.y - truth.y, p.z - truth.z);
  };
  const Point kept = *std::ranges::min_element(map.points, {}, range_of);
  const auto cell = [](float x) { return std::floor(x / kEdge); };
  std::erase_if(map.points, [&](const Point& p) {
    return cell(p.x) != cell(kept.x) || cell(p.y) != cell(kept.y) || cell(p.z) != cell(kept.z);
  });
}

void mirror(PointCloud& scan, IntegerRandom&) {
  for (Point& p : scan.points) p.y = -p.y;
}

void enlarge(PointCloud& scan, IntegerRandom& random) {
  const auto by = static_cast<float>(between(random, 1.01, 1.05));
  for (Point& p : scan.points) p = by * p;
}

/// A sector of 40 to 90 degrees.
void keep_sector(PointCloud& scan, IntegerRandom& random) {
  const double half = between(random, 0.35, 0.8);
  const double middle = between(random, -kPi, kPi);
  const double x = std::cos(middle), y = std::sin(middle), least = std::cos(half);
  std::erase_if(scan.points,
                [&](const Point& p) { return p.x * x + p.y * y < least * std::hypot(p.x, p.y); });
}

/// Most rays end at a drop of fog before they reach a surface.
void add_fog(PointCloud& scan, IntegerRandom& random) {
  const double share = between(random, 0.5, 0.9);
  for (Point& p : scan.points) {
    const double at_all = between(random, 0, 1);
    const double drop_m = 1 - 3 * std::log(1 - between(random, 0, 1));
    const double range_m = std::hypot(p.x, p.y, p.z);
    if (at_all < share && drop_m < range_m) p = static_cast<float>(drop_m / range_m) * p;
  }
}

constexpr Family kFamilies[] = {
    {"honest", "halls, streets and groves, the guess as good as odometry's", 300, true, honest},
    {"corridor", "a corridor with no end in view, the guess 0.5 to 3 m off along it", 25, true, in_corridor},
    {"plain", "flat ground, the guess 0.7 to 2.8 m off", 25, true, on_plain},
    {"tank", "a round tank, the guess 20 to 90 degrees off", 25, true, in_tank},
    {"period", "equal houses or pillars, the guess one of them off", 25, true, a_period_off},
    {"far_guess", "honest scenes, the guess 4 to 14 m and 45 to 180 degrees off", 25, true, far_guess},
    {"other_place", "the scan of one place on the map of another", 25, false, other_place},
    {"other_floor", "the same walls and pillars with other things between them", 25, false, other_floor},
    {"mirrored", "honest scenes, y of the scan with the other sign", 25, false, honest, nullptr, mirror},
    {"scaled", "honest scenes, the scan 1 to 5 % too large", 25, true, honest, nullptr, enlarge},
    {"sector", "honest scenes, 40 to 90 degrees of the scan", 25, true, honest, nullptr, keep_sector},
    {"fog", "honest scenes, half of the rays or more end in fog", 25, true, honest, nullptr, add_fog},
    {"one_voxel", "honest scenes, one voxel of the map", 25, true, honest, keep_one_voxel},
};

/// A family's scenes as one seed draws them.
struct Drawn {
  const Family* family = nullptr;
  std::uint64_t seed = kSeed;
};

/// Draws for scene `index`: 0 its world and poses, 1 its map, 2 its scan.
IntegerRandom random_of(const Drawn& drawn, std::size_t index, std::uint64_t what) {
  const auto number = static_cast<std::uint64_t>(drawn.family - kFamilies);
  return IntegerRandom(seed_of(seed_of(seed_of(drawn.seed, number), index), what));
}

Scene scene_of(const Drawn& drawn, std::size_t index) {
  IntegerRandom random = random_of(drawn, index, 0);
  return drawn.family->make(random);
}

/// The map that a scanner saw from several places.
PointCloud map_of(const Drawn& drawn, std::size_t index) {
  constexpr int kPlaces = 8;
  const Scene scene = scene_of(drawn, index);
  IntegerRandom random = random_of(drawn, index, 1);
  PointCloud map;
  for (int k = 0; k < kPlaces; ++k) {
    const Vec3<double> place = free_place(scene.map_world, random);
    const Transform from = to_transform({place.x, place.y, place.z, 0, 0, between(random, -kPi, kPi)});
    for (const Point& p : sweep(scene.map_world, from, scene.noise_m, random).points) {
      const Vec3<double> at = rotation_of(from) * Vec3<double>{p.x, p.y, p.z} + place;
      map.points.push_back({static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z)});
    }
  }
  if (drawn.family->change_map != nullptr) drawn.family->change_map(map, scene);
  return map;
}

PointCloud scan_of(const Drawn& drawn, std::size_t index) {
  const Scene scene = scene_of(drawn, index);
  IntegerRandom random = random_of(drawn, index, 2);
  PointCloud scan = sweep(scene.scan_world, scene.truth, scene.noise_m, random);
  if (drawn.family->change_scan != nullptr) drawn.family->change_scan(scan, random);
  return scan;
}

DatasetInfo info_of(const Family& family) {
  return {fmt::format("{}{}", kPrefix, family.name),
          fmt::format("built-in, {} scenes: {}", family.scenes, family.description), ""};
}

/// "scenes_honest", or with a seed "scenes_honest_7"; no family for any other name.
Drawn drawn_by(std::string_view name) {
  for (const Family& family : kFamilies) {
    const std::string own = info_of(family).name;
    if (name == own) return {&family};
    if (const auto seed = seed_after(name, own + "_")) return {&family, *seed};
  }
  return {};
}

}  // namespace

std::vector<DatasetInfo> list_scenes() {
  std::vector<DatasetInfo> infos;
  for (const Family& family : kFamilies) infos.push_back(info_of(family));
  return infos;
}

std::optional<Dataset> load_scenes(std::string_view name) {
  const Drawn drawn = drawn_by(name);
  const Family* const family = drawn.family;
  if (family == nullptr) return std::nullopt;
  Dataset dataset;
  dataset.name = name;
  dataset.description = info_of(*family).description;
  dataset.kind = family->has_pose ? "pair" : "no_pose";
  dataset.licence = "Apache-2.0";
  dataset.source = "built in, an integer generator";
  dataset.one_map = false;
  if (family->has_pose) dataset.truth = {.quality = "exact", .exact = true};
  for (int k = 0; k < family->scenes; ++k) {
    const Scene scene = scene_of(drawn, static_cast<std::size_t>(k));
    Frame frame{.name = fmt::format("{:03}", k), .truth = {}, .guesses = {{"guess", scene.guess}}};
    if (family->has_pose) frame.truth = scene.truth;
    dataset.frames.push_back(std::move(frame));
  }
  dataset.map = [drawn](std::size_t frame) { return map_of(drawn, frame); };
  dataset.scan = [drawn](std::size_t frame) { return scan_of(drawn, frame); };
  return dataset;
}

}  // namespace ndt::harness
