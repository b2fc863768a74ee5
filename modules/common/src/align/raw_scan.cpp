#include "ndt/align/raw_scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "ndt/align/moved_point.hpp"
#include "ndt/align/option.hpp"
#include "ndt/align/point_filter.hpp"
#include "ndt/align/preparation.hpp"
#include "ndt/align/sample_key.hpp"
#include "ndt/align/voxel_grid.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/formatted.hpp"

namespace ndt {
namespace {

constexpr double kMaxRangeM = 1e6;

void require_box(const std::string& name, const CropBox& box) {
  const auto& [low, high] = box;
  bool usable = true;
  for (const auto& [from, to] :
       {std::pair{low.x, high.x}, std::pair{low.y, high.y}, std::pair{low.z, high.z}})
    usable = usable && std::isfinite(from) && std::isfinite(to) && from <= to;
  if (!usable)
    refuse_option(name, formatted("{},{},{},{},{},{}", low.x, low.y, low.z, high.x, high.y, high.z),
                  "the form x0,y0,z0,x1,y1,z1, finite and no low above its high");
}

/// The largest key of a sample of `count` of `points` points, of which there are more.
std::uint64_t last_key(const SampleKeys& keys, std::size_t points, std::size_t count) {
  std::array<std::size_t, 1U << kKeyBinBits> bins{};
  for (std::size_t k = 0; k < points; ++k) ++bins[key_bin(keys(k))];
  unsigned bin = 0;
  for (; bins[bin] < count; ++bin) count -= bins[bin];
  std::vector<std::uint64_t> inside;
  inside.reserve(bins[bin]);
  for (std::size_t k = 0; k < points; ++k)
    if (const std::uint64_t key = keys(k); key_bin(key) == bin) inside.push_back(key);
  const auto last = inside.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::ranges::nth_element(inside, last);
  return *last;
}

/// Keeps the points k for which keep(k), and their times.
template <class Keep>
void keep_if(PointCloud& cloud, Keep keep) {
  const bool timed = cloud.times.size() == cloud.size();
  std::size_t left = 0;
  for (std::size_t k = 0; k < cloud.size(); ++k) {
    cloud.points[left] = cloud.points[k];
    if (timed) cloud.times[left] = cloud.times[k];
    left += keep(k) ? 1 : 0;
  }
  cloud.points.resize(left);
  cloud.times.resize(timed ? left : 0);
}

void sample(PointCloud& cloud, std::size_t count, std::uint64_t seed) {
  if (cloud.size() <= count) return;
  const SampleKeys keys(seed);
  const std::uint64_t last = last_key(keys, cloud.size(), count);
  keep_if(cloud, [&](std::size_t k) { return keys(k) <= last; });
}

}  // namespace

bool ScanPreparation::active() const {
  return min_range_m || max_range_m || crop_box || remove_box || voxel_leaf_m || sample_points;
}

void validate(const ScanPreparation& p, std::string_view cloud) {
  const auto name = [&](const char* option) { return formatted("{}-{}", cloud, option); };
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

std::vector<FilterStep> steps_of(const ScanPreparation& p, std::int64_t given, const RemovalCounts& removed,
                                 std::int64_t leaves, std::int64_t sampled) {
  std::vector<FilterStep> steps;
  std::int64_t left = given;
  const auto note = [&](std::string_view filter, std::int64_t after) {
    steps.push_back({filter, left - after, after});
    left = after;
  };
  const PointFilter filter(p);
  for (int k = 1; k < kRemovals; ++k)
    if (const auto removal = static_cast<Removal>(k); filter.has(removal))
      note(to_string(removal), left - removed[static_cast<std::size_t>(k)]);
  if (p.voxel_leaf_m) note("voxel_grid", leaves);
  if (p.sample_points) note("sample", sampled);
  return steps;
}

namespace {

/// The filters that look at all points together.
std::vector<FilterStep> thin(PointCloud& cloud, const ScanPreparation& p, std::int64_t given,
                             const RemovalCounts& removed, VoxelGrid& grid) {
  if (p.voxel_leaf_m) grid.thin(cloud, *p.voxel_leaf_m);
  const auto leaves = static_cast<std::int64_t>(cloud.size());
  if (p.sample_points) sample(cloud, static_cast<std::size_t>(*p.sample_points), p.sample_seed);
  return steps_of(p, given, removed, leaves, static_cast<std::int64_t>(cloud.size()));
}

}  // namespace

PreparedCloud prepare(PointCloud given, const ScanPreparation& p) {
  validate(p);
  PreparedCloud out{std::move(given), 0, {}};
  PointCloud& cloud = out.cloud;
  out.given_points = static_cast<std::int64_t>(cloud.size());
  if (!p.active()) return out;
  const PointFilter filter(p);
  RemovalCounts removed{};
  keep_if(cloud, [&](std::size_t k) {
    const Removal removal = filter.removal(cloud.origin + cast<double>(cloud.points[k]));
    ++removed[static_cast<std::size_t>(removal)];
    return removal == Removal::none;
  });
  VoxelGrid grid;
  out.steps = thin(cloud, p, out.given_points, removed, grid);
  if (cloud.size() < cloud.points.capacity() / 2) cloud.points.shrink_to_fit();  // a map is kept for long
  return out;
}

HeldRawScan prepare_raw(const PointCloud& raw, const RawScanUse& use, RawScanMemory& memory) {
  validate(use.filters);
  HeldRawScan out;
  const std::vector<NoReturn>& causes = memory.no_returns.causes;
  const bool odd = !use.keep_no_returns && find_no_returns(raw, memory.no_returns);
  if (odd) out.no_returns = counted(causes);
  PreparedCloud& prepared = out.prepared;
  prepared.given_points = static_cast<std::int64_t>(raw.size()) - out.no_returns.total();
  const bool timed = raw.times.size() == raw.size(), active = use.filters.active();
  const SweepMotion* const motion = timed ? use.motion : nullptr;
  PointCloud& left = memory.left;
  left.origin = raw.origin;
  left.points.resize(raw.size()), left.times.resize(timed ? raw.size() : 0);
  const PointFilter filter(use.filters);
  RemovalCounts removed{};
  std::size_t end = 0;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    if (odd && causes[k] != NoReturn::none) continue;
    Point p = raw.points[k];
    if (motion != nullptr) p = moved_point(*motion, raw.times[k], p, raw.origin);
    left.points[end] = p;
    if (timed) left.times[end] = raw.times[k];
    const Removal removal = active ? filter.removal(raw.origin + cast<double>(p)) : Removal::none;
    ++removed[static_cast<std::size_t>(removal)];
    end += removal == Removal::none;
  }
  left.points.resize(end), left.times.resize(timed ? end : 0);
  if (active) prepared.steps = thin(left, use.filters, prepared.given_points, removed, memory.grid);
  prepared.cloud = left;
  return out;
}

}  // namespace ndt
