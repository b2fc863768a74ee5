#include "data/preparation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "data/voxel_grid.hpp"
#include "ndt/align/option.hpp"

namespace ndt::harness {
namespace {

constexpr double kMaxRangeM = 1e6;

bool on_or_between(double low, double value, double high) { return value >= low && value <= high; }

bool contains(const CropBox& box, const Vec3<double>& p) {
  return on_or_between(box.low.x, p.x, box.high.x) && on_or_between(box.low.y, p.y, box.high.y) &&
         on_or_between(box.low.z, p.z, box.high.z);
}

void require_box(const std::string& name, const CropBox& box) {
  const auto& [low, high] = box;
  bool usable = true;
  for (const auto& [from, to] :
       {std::pair{low.x, high.x}, std::pair{low.y, high.y}, std::pair{low.z, high.z}})
    usable = usable && std::isfinite(from) && std::isfinite(to) && from <= to;
  if (!usable)
    refuse_option(name, fmt::format("{},{},{},{},{},{}", low.x, low.y, low.z, high.x, high.y, high.z),
                  "the form x0,y0,z0,x1,y1,z1, finite and no low above its high");
}

bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

/// Runs the filters and notes what each left.
class Preparation {
 public:
  explicit Preparation(PointCloud cloud) {
    prepared_.given_points = static_cast<std::int64_t>(cloud.size());
    prepared_.cloud = std::move(cloud);
  }

  void keep_finite() {
    if (finite(prepared_.cloud.origin) &&
        std::ranges::all_of(prepared_.cloud.points, [](const Point& p) { return is_finite(p); }))
      note("finite");  // nearly always
    else
      keep_if("finite", finite);
  }

  template <class Keep>
  void keep_if(std::string_view filter, Keep keep) {
    const Vec3<double> origin = prepared_.cloud.origin;
    std::vector<Point>& points = prepared_.cloud.points;
    std::vector<float>& times = prepared_.cloud.times;
    const bool timed = times.size() == points.size();
    std::size_t left = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!keep(origin + cast<double>(points[k]))) continue;
      points[left] = points[k];
      if (timed) times[left] = times[k];
      ++left;
    }
    points.resize(left), times.resize(timed ? left : 0);
    note(filter);
  }

  void thin(double leaf_m, VoxelGrid& grid) {
    grid.thin(prepared_.cloud, leaf_m);
    note("voxel_grid");
  }

  void sample(std::int64_t count, std::uint64_t seed) {
    PointCloud& cloud = prepared_.cloud;
    cloud.points = random_sample(cloud.points, count, seed);
    cloud.times = random_sample(cloud.times, count, seed);
    note("sample");
  }

  PreparedCloud take() { return std::move(prepared_); }

 private:
  /// Notes what the filter left.
  void note(std::string_view filter) {
    const auto left = static_cast<std::int64_t>(prepared_.cloud.size());
    const std::int64_t before =
        prepared_.steps.empty() ? prepared_.given_points : prepared_.steps.back().left_points;
    prepared_.steps.push_back({filter, before - left, left});
  }

  PreparedCloud prepared_;
};

void keep_range(Preparation& preparation, double low_m, double high_m) {
  preparation.keep_if("range", [=](const Vec3<double>& p) {
    return on_or_between(low_m * low_m, dot(p, p), high_m * high_m);
  });
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<CropBox> box(TomlTable& toml, std::string_view key) {
  const auto v = toml.numbers(key, -kInfinity, kInfinity);
  if (!v) return std::nullopt;
  if (v->size() != 6)
    toml.refuse(key, fmt::format("has {} numbers", v->size()), "give [x0, y0, z0, x1, y1, z1] in metres");
  return CropBox{{(*v)[0], (*v)[1], (*v)[2]}, {(*v)[3], (*v)[4], (*v)[5]}};
}

std::string text_of(const ScanPreparation& p) {
  std::vector<std::string> parts;
  if (p.min_range_m || p.max_range_m)
    parts.push_back(
        fmt::format("range {} to {} m", p.min_range_m.value_or(0), p.max_range_m.value_or(kInfinity)));
  if (p.crop_box) parts.emplace_back("crop box");
  if (p.remove_box) parts.emplace_back("remove box");
  if (p.voxel_leaf_m) parts.push_back(fmt::format("voxel leaf {} m", *p.voxel_leaf_m));
  if (p.sample_points) parts.push_back(fmt::format("{} drawn with seed {}", *p.sample_points, p.sample_seed));
  return parts.empty() ? "as it is" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

bool ScanPreparation::active() const {
  return min_range_m || max_range_m || crop_box || remove_box || voxel_leaf_m || sample_points;
}

void validate(const ScanPreparation& p, std::string_view cloud) {
  const auto name = [&](const char* option) { return fmt::format("{}-{}", cloud, option); };
  if (p.max_range_m) require_above(name("max-range"), *p.max_range_m, 0, kMaxRangeM);
  if (p.min_range_m) require_closed(name("min-range"), *p.min_range_m, 0, p.max_range_m.value_or(kMaxRangeM));
  if (p.crop_box) require_box(name("crop-box"), *p.crop_box);
  if (p.remove_box) require_box(name("remove-box"), *p.remove_box);
  if (p.voxel_leaf_m) require_closed(name("voxel-leaf"), *p.voxel_leaf_m, 0.001, 1000);
  if (p.sample_points) require_whole(name("sample"), *p.sample_points, 1, 1000000000);
}

ScanPreparation overridden(const ScanPreparation& base, const ScanPreparation& given) {
  ScanPreparation both = given;
  const auto fill = [&](auto member) {
    if (!(both.*member)) both.*member = base.*member;
  };
  fill(&ScanPreparation::min_range_m);
  fill(&ScanPreparation::max_range_m);
  fill(&ScanPreparation::crop_box);
  fill(&ScanPreparation::remove_box);
  fill(&ScanPreparation::voxel_leaf_m);
  fill(&ScanPreparation::sample_points);
  if (!given.sample_points) both.sample_seed = base.sample_seed;
  return both;
}

PreparedCloud prepare(PointCloud cloud, const ScanPreparation& p) {
  VoxelGrid grid;
  PreparedCloud prepared = prepare(std::move(cloud), p, grid);
  std::vector<Point>& points = prepared.cloud.points;
  if (points.size() < points.capacity() / 2) points.shrink_to_fit();  // a map is kept for long
  return prepared;
}

PreparedCloud prepare(PointCloud cloud, const ScanPreparation& p, VoxelGrid& grid) {
  validate(p);
  Preparation preparation(std::move(cloud));
  if (!p.active()) return preparation.take();

  preparation.keep_finite();
  if (p.min_range_m || p.max_range_m)
    keep_range(preparation, p.min_range_m.value_or(0),
               p.max_range_m.value_or(std::numeric_limits<double>::infinity()));
  if (p.crop_box)
    preparation.keep_if("crop_box", [&](const Vec3<double>& v) { return contains(*p.crop_box, v); });
  if (p.remove_box)
    preparation.keep_if("remove_box", [&](const Vec3<double>& v) { return !contains(*p.remove_box, v); });
  if (p.voxel_leaf_m) preparation.thin(*p.voxel_leaf_m, grid);
  if (p.sample_points) preparation.sample(*p.sample_points, p.sample_seed);
  return preparation.take();
}

ScanPreparation read_preparation(TomlTable& toml, std::string_view cloud) {
  ScanPreparation p;
  p.min_range_m = toml.number("min_range_m", 0, kInfinity);
  p.max_range_m = toml.number("max_range_m", 0, kInfinity);
  p.crop_box = box(toml, "crop_box");
  p.remove_box = box(toml, "remove_box");
  p.voxel_leaf_m = toml.number("voxel_leaf_m", 0, kInfinity);
  p.sample_points = toml.whole("sample_points", 0, std::numeric_limits<std::int64_t>::max());
  p.sample_seed = static_cast<std::uint64_t>(
      toml.whole("sample_seed", 0, std::numeric_limits<std::int64_t>::max()).value_or(1));
  toml.finish();
  try {
    validate(p, cloud);
  } catch (const std::invalid_argument& error) {
    toml.refuse("", error.what(), "give a number in these bounds");
  }
  return p;
}

std::string describe_preparation(const ScanPreparation& scan, const ScanPreparation& map) {
  return fmt::format("scan: {}; map: {}", text_of(scan), text_of(map));
}

}  // namespace ndt::harness
