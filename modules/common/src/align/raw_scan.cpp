#include "ndt/align/raw_scan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "ndt/align/moved_point.hpp"
#include "ndt/align/option.hpp"
#include "ndt/align/point_filter.hpp"
#include "ndt/align/preparation.hpp"
#include "ndt/align/voxel_grid.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/formatted.hpp"
#include "random_sample.hpp"

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

/// Items that are worth a thread.
constexpr std::size_t kLeastPart = 4096;

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

void draw(PointCloud& cloud, std::size_t count, std::uint64_t seed) {
  const Part all{0, cloud.size()};
  const RandomSample sample({&all, 1}, count, seed, {});
  keep_if(cloud, [&](std::size_t k) { return sample.has(k); });
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
  if (p.voxel_leaf_m) VoxelGrid().thin(cloud, *p.voxel_leaf_m);
  const auto leaves = static_cast<std::int64_t>(cloud.size());
  if (p.sample_points) draw(cloud, static_cast<std::size_t>(*p.sample_points), p.sample_seed);
  out.steps = steps_of(p, out.given_points, removed, leaves, static_cast<std::int64_t>(cloud.size()));
  if (cloud.size() < cloud.points.capacity() / 2) cloud.points.shrink_to_fit();  // a map is kept for long
  return out;
}

namespace {

/// A raw scan on its way, in parts of which each has a worker.
class Preparation {
 public:
  Preparation(const PointCloud& raw, const RawScanUse& use, RawScanMemory& memory, const Workers& workers)
      : raw_(raw),
        use_(use),
        memory_(memory),
        workers_(workers),
        filter_(use.filters),
        timed_(raw.times.size() == raw.size()),
        active_(use.filters.active()) {}

  HeldRawScan run() {
    HeldRawScan out;
    const bool odd = !use_.keep_no_returns && find_no_returns(raw_, memory_.no_returns, workers_);
    if (odd) out.no_returns = counted(memory_.no_returns.causes);
    PreparedCloud& prepared = out.prepared;
    prepared.given_points = static_cast<std::int64_t>(raw_.size()) - out.no_returns.total();
    prepared.cloud.origin = raw_.origin;
    filter(odd);
    const ScanPreparation& p = use_.filters;
    if (p.voxel_leaf_m) memory_.grid.fill(rows_, raw_.origin, *p.voxel_leaf_m, workers_);
    const std::vector<Part> parts = parts_left();
    const std::size_t all = parts.back().end;
    const auto wanted =
        static_cast<std::size_t>(p.sample_points.value_or(std::numeric_limits<std::int64_t>::max()));
    take(parts, RandomSample(parts, wanted, p.sample_seed, workers_), prepared.cloud);
    if (active_)
      prepared.steps = steps_of(p, prepared.given_points, removed_, static_cast<std::int64_t>(all),
                                static_cast<std::int64_t>(prepared.cloud.size()));
    return out;
  }

 private:
  /// Leaves the points that no filter of one point alone removes, as rows of memory_.left.
  void filter(bool odd) {
    const std::size_t parts = workers_.parts(raw_.size(), kLeastPart);
    PointCloud& left = memory_.left;
    left.points.resize(raw_.size()), left.times.resize(timed_ ? raw_.size() : 0);
    rows_.assign(parts, {});
    std::vector<RemovalCounts> removed(parts);
    workers_.each(parts, [&](std::size_t k) {
      const Part part = part_of(raw_.size(), k, parts);
      rows_[k] = {left.points.data() + part.begin, timed_ ? left.times.data() + part.begin : nullptr,
                  filter(part, odd, removed[k])};
    });
    for (const RemovalCounts& of_part : removed)
      std::ranges::transform(removed_, of_part, removed_.begin(), std::plus());
  }
  /// Returns the number of points that are left.
  std::size_t filter(const Part& part, bool odd, RemovalCounts& removed) {
    // Copies stay in registers while points are written.
    const PointFilter filter = filter_;
    const Vec3<double> origin = raw_.origin;
    const Point* const from = raw_.points.data();
    const float* const seconds = timed_ ? raw_.times.data() : nullptr;
    const SweepMotion* const motion = timed_ ? use_.motion : nullptr;
    const NoReturn* const causes = odd ? memory_.no_returns.causes.data() : nullptr;
    Point* const points = memory_.left.points.data() + part.begin;
    float* const times = memory_.left.times.data() + (timed_ ? part.begin : 0);
    std::size_t end = 0;
    for (std::size_t k = part.begin; k < part.end; ++k) {
      if (causes != nullptr && causes[k] != NoReturn::none) continue;
      const Point p = motion != nullptr ? moved_point(*motion, seconds[k], from[k], origin) : from[k];
      points[end] = p;
      if (seconds != nullptr) times[end] = seconds[k];
      const Vec3<double> at = origin + cast<double>(p);
      Removal removal = Removal::none;
      if (active_ && !filter.keeps(at)) ++removed[static_cast<std::size_t>(removal = filter.removal(at))];
      end += removal == Removal::none;
    }
    return end;
  }

  /// Points or leaves that are left, in parts: the rows, or runs of leaves.
  std::vector<Part> parts_left() const {
    std::vector<Part> parts;
    if (use_.filters.voxel_leaf_m) {
      const std::size_t leaves = memory_.grid.size(), n = workers_.parts(leaves, kLeastPart);
      for (std::size_t k = 0; k < n; ++k) parts.push_back(part_of(leaves, k, n));
      return parts;
    }
    std::size_t end = 0;
    for (const PointRow& row : rows_) parts.push_back({end, end + row.size}), end += row.size;
    return parts;
  }

  void take(const std::vector<Part>& parts, const RandomSample& sample, PointCloud& out) const {
    out.points.resize(sample.size()), out.times.resize(timed_ ? sample.size() : 0);
    const bool leaves = use_.filters.voxel_leaf_m.has_value();
    workers_.each(parts.size(), [&](std::size_t p) {
      std::size_t to = sample.before(p);
      for (std::size_t k = parts[p].begin; k < parts[p].end; ++k) {
        if (!sample.has(k)) continue;
        const std::size_t in_row = k - parts[p].begin;
        out.points[to] = leaves ? memory_.grid.centroid(k) : rows_[p].points[in_row];
        if (timed_) out.times[to] = leaves ? memory_.grid.time_s(k) : rows_[p].times[in_row];
        ++to;
      }
    });
  }

  const PointCloud& raw_;
  const RawScanUse& use_;
  RawScanMemory& memory_;
  const Workers& workers_;
  const PointFilter filter_;
  const bool timed_, active_;
  std::vector<PointRow> rows_;  ///< of memory_.left
  RemovalCounts removed_{};
};

}  // namespace

HeldRawScan prepare_raw(const PointCloud& raw, const RawScanUse& use, RawScanMemory& memory,
                        const Workers& workers) {
  validate(use.filters);
  return Preparation(raw, use, memory, workers).run();
}

}  // namespace ndt
