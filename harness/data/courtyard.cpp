#include "data/courtyard.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "data/dataset_name.hpp"
#include "data/sources.hpp"

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
    v[axis] = surface.origin_q[axis] * (kUnitsPerMetre / 4) +
              random.below(surface.extent_q[axis] * (kUnitsPerMetre / 4) + 1);
  if (surface.sloped) v[2] += (v[0] - 16 * kUnitsPerMetre) >> 2;  // floor division by 4
  float out[3];
  for (int axis = 0; axis < 3; ++axis) {
    v[axis] += random.below(41) - 20;  // 2 cm of roughness
    v[axis] += offset_m[axis] * kUnitsPerMetre;
    out[axis] = static_cast<float>(static_cast<double>(v[axis]) / static_cast<double>(kUnitsPerMetre));
  }
  return {out[0], out[1], out[2]};
}

/// Guesses around the truth: metres and radians, at most 0.5 m and 5 degrees.
constexpr Pose kPerturbations[] = {
    {0.000, 0.000, 0.000, 0.000, 0.000, 0.000},      //
    {0.180, -0.110, 0.040, 0.010, -0.008, 0.030},    //
    {-0.260, 0.200, -0.060, -0.014, 0.012, -0.041},  //
    {0.050, 0.330, 0.090, 0.006, 0.019, 0.052},      //
    {-0.340, -0.150, 0.110, 0.021, -0.005, 0.017},   //
    {0.290, 0.290, -0.120, -0.009, -0.022, -0.066},  //
    {0.440, -0.080, 0.070, -0.018, 0.016, 0.008},    //
    {-0.120, -0.460, -0.100, 0.013, 0.009, -0.079},  //
};

constexpr int kScanPoints = 3000;
/// Courtyards in a row and column of a tiled map, and their distance: a multiple of every usual resolution.
constexpr int kCourtyardTiles = 61;
constexpr std::int64_t kTilePitchM = 72;
constexpr int kTilePoints = 30000;

struct Variant {
  int scan_points = kScanPoints;
  int tiles = 1;
  bool far = false;
};

PointCloud tiled_map(int tiles) {
  PointCloud map;
  map.points.reserve(static_cast<std::size_t>(tiles) * static_cast<std::size_t>(tiles) * kTilePoints);
  for (int row = 0; row < tiles; ++row)
    for (int column = 0; column < tiles; ++column) {
      const PointCloud tile = make_courtyard(
          {.seed = 1,
           .points = kTilePoints,
           .offset_m = {(column - tiles / 2) * kTilePitchM, (row - tiles / 2) * kTilePitchM, 0}});
      map.points.insert(map.points.end(), tile.points.begin(), tile.points.end());
    }
  return map;
}

Dataset make(std::string_view name, std::string description, const Variant& variant) {
  Dataset dataset;
  dataset.name = name;
  dataset.description = std::move(description);
  dataset.kind = "pair";
  dataset.licence = "Apache-2.0";
  dataset.source = "built in, an integer generator";
  dataset.truth = {.quality = "exact", .exact = true};
  const Vec3<double> at = variant.far ? Vec3<double>{81377, 49916, 40} : Vec3<double>{};
  Frame frame{.name = "0", .truth = to_transform(Pose{at.x, at.y, at.z}), .guesses = {}};
  for (const Pose& p : kPerturbations)
    frame.guesses.push_back({fmt::format("guess{}", frame.guesses.size()),
                             to_transform(Pose{p.x + at.x, p.y + at.y, p.z + at.z, p.roll, p.pitch, p.yaw})});
  dataset.frames.push_back(std::move(frame));
  dataset.map = [variant](std::size_t) {
    if (variant.far) return courtyard_map_far();
    return variant.tiles > 1 ? tiled_map(variant.tiles) : courtyard_map();
  };
  dataset.scan = [variant](std::size_t) { return courtyard_scan(variant.scan_points); };
  return dataset;
}

constexpr std::string_view kCourtyard =
    "built-in: walled courtyard, map 30,000 points, scan 3,000, 8 guesses within 0.5 m and 5 degrees";
constexpr std::string_view kOfSize =
    "built-in: the same with a scan of 5,000 points (any number: courtyard_<points>)";
constexpr std::string_view kTiled =
    "built-in: 9 x 9 courtyards, map 2,430,000 points (any odd number: courtyard_tiles_<n>)";
constexpr std::string_view kFar =
    "built-in: courtyard with its map 95 km away (81377, 49916, 40), as in a metric grid zone";

}  // namespace

PointCloud make_courtyard(const CourtyardOptions& options) {
  IntegerRandom random(options.seed);
  PointCloud cloud;
  cloud.points.reserve(static_cast<std::size_t>(options.points));
  for (int i = 0; i < options.points; ++i) cloud.points.push_back(draw(random, options.offset_m));
  return cloud;
}

std::vector<DatasetInfo> list_courtyards() {
  return {{"courtyard", std::string(kCourtyard), ""},
          {"courtyard_5k", std::string(kOfSize), ""},
          {"courtyard_tiles_9", std::string(kTiled), ""},
          {"courtyard_far", std::string(kFar), ""}};
}

std::optional<Dataset> load_courtyard(std::string_view name) {
  if (name == "courtyard") return make(name, std::string(kCourtyard), {});
  if (name == "courtyard_far") return make(name, std::string(kFar), {.far = true});
  if (name == "courtyard_5k") return make(name, std::string(kOfSize), {.scan_points = 5000});
  if (const auto tiles = number_after(name, "courtyard_tiles_")) {
    require_between(name, *tiles, 1, kCourtyardTiles);
    if (*tiles % 2 == 0) throw UsageError(fmt::format("dataset {}: the number of tiles must be odd", name));
    return make(name, fmt::format("built-in: {0} x {0} courtyards", *tiles), {.tiles = *tiles});
  }
  if (const auto points = number_after(name, "courtyard_")) {
    require_between(name, *points, 100, 2000000);
    return make(name, fmt::format("built-in: courtyard with a scan of {} points", *points),
                {.scan_points = *points});
  }
  return std::nullopt;
}

}  // namespace ndt::harness
