#include "ndt/edge/host_aligner.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "ndt/score/point_kernels.hpp"
#include "ndt/voxel/windows.hpp"

namespace ndt {
namespace {

/// Tiles of a map in host memory.
struct HostSite {
  using Voxels = TileVoxels;
  using Map = VoxelMap;
  struct Cloud : MapCloud {
    Cloud(HostSite&, std::span<const Point> points, const AlignOptions& options)
        : MapCloud({}, points, options) {}
  };

  static Voxels voxels(const Cloud& cloud, const Vec3<double>& position, const AlignOptions& options) {
    return {cloud.points(position), options};
  }
  static std::unique_ptr<VoxelMap> map(const CloudFacts& facts, const TilesVoxels& tiles,
                                       const AlignOptions& options, const VoxelMap* before) {
    return std::make_unique<VoxelMap>(facts, tiles, options, before);
  }
  /// Tiles share one origin, so their points are joined as they are.
  static std::unique_ptr<VoxelMap> windows(const CloudFacts& facts, const std::vector<const Cloud*>& clouds,
                                           const AlignOptions& options, const VoxelMap* before,
                                           std::span<const PointBox> changed) {
    const AlignOptions fine = window_options(options);
    const MapOrigin origin = facts.origin(fine.resolution_m);
    const ChangedWindows reached(changed, origin, fine);
    const bool anew = before == nullptr || reached.all() || before->origin_cell() != origin;
    std::vector<Point> read;
    for (const Cloud* cloud : clouds) {
      const MapPoints points = cloud->points({});
      std::copy_if(points.offsets, points.offsets + points.size, std::back_inserter(read),
                   [&](const Point& p) { return anew || reached.reads(p); });
    }
    const MapCloud joined({}, read, options);
    return std::make_unique<VoxelMap>(anew ? VoxelMap::windows(joined, options)
                                           : VoxelMap::windows(*before, reached, facts, joined, options));
  }
  static std::shared_ptr<const ReadyMap> ready(const AlignOptions& options,
                                               std::vector<std::unique_ptr<VoxelMap>> levels,
                                               std::unique_ptr<VoxelMap> windows) {
    return std::make_shared<const LevelMaps<VoxelMap>>(options, std::move(levels), std::move(windows));
  }
  static std::optional<Traffic> traffic() { return std::nullopt; }
  template <class F>
  static void run(F&& f) {
    f();
  }
};

}  // namespace

std::unique_ptr<ResidentMap> host_resident_map(const AlignOptions& options) {
  return std::make_unique<TiledMap<HostSite>>(HostSite(), options);
}

MapInfo HostAligner::set_map(const Scan& map) {
  const Turn turn(*this, "set_map");
  give_up();
  const MapCloud cloud(host_cloud(map, "set_map"), options());
  auto levels = build_levels(
      options(), [&](const AlignOptions& level) { return std::make_unique<VoxelMap>(cloud, level); });
  std::unique_ptr<VoxelMap> windows;
  if (options().finish == Finish::windows)
    windows = std::make_unique<VoxelMap>(VoxelMap::windows(cloud, options()));
  use(std::make_shared<const Maps>(options(), std::move(levels), std::move(windows)));
  return this->map().info();
}

std::shared_ptr<const ReadyMap> HostAligner::exchange_map(std::shared_ptr<const ReadyMap> map) {
  const Turn turn(*this, "exchange_map");
  std::shared_ptr<const Maps> next = require_own<Maps>(std::move(map), options());
  give_up();
  std::shared_ptr<const ReadyMap> before = maps_;
  use(std::move(next));
  return before;
}

void HostAligner::use(std::shared_ptr<const Maps> maps) {
  maps_ = std::move(maps);
  use_levels(maps_->levels(), maps_->windows(),
             [](const VoxelMap& level) { return level.surfaces().data(); });
}

std::vector<VoxelInfo> HostAligner::voxels() const {
  const Turn turn(*this, "voxels");
  require_map("voxels");
  return map().voxel_table();
}

void HostAligner::wake() {
  constexpr std::chrono::milliseconds kBeforeScan{20};  // a sweep that has begun is here, and filtered
  repeat_last(0);
  pool_.stay_awake(kBeforeScan);
}

Point* HostAligner::room_for_scan(std::size_t points, std::size_t) {
  if (points > room_.size()) room_ = std::vector<Point>(points);
  return room_.data();
}

PlacedScan HostAligner::place(const LoopScan& scan, std::span<const LoopRun> runs) {
  guesses_.clear();
  for (const LoopRun& one : runs) guesses_.push_back(one.local_guess);
  return {scan.points, guesses_.data()};
}

void HostAligner::fetch(const LoopOutcome* outcomes, const LoopTrace* traces, int trace_lines,
                        std::span<LoopRun> runs) {
  for (std::size_t k = 0; k < runs.size(); ++k) {
    runs[k].outcome = outcomes[k];
    const LoopTrace* trace = traces + k * static_cast<std::size_t>(trace_lines);
    if (trace_lines > 0) runs[k].trace.assign(trace, trace + runs[k].outcome.iterations + 1);
  }
}

void HostAligner::score(const LoopScan& scan, std::span<const Transform> local_poses, std::span<Score> out) {
  const LevelMap& map = last_level();
  pool_.for_each(local_poses.size(), [&](auto& team, std::size_t k) {
    const Motion motion = loop_start(local_poses[k]).at.motion;
    const DerivativeSums<double> sums = team.template sum<DerivativeSums>(
        scan.view().size, [&](int first, int count, const auto& lanes, auto& part) {
          add_scan_points(map.view, map.gauss, motion, scan.points + first, count, lanes, part);
        });
    team.once([&] { out[k] = score_of(sums, scan.facts); });
  });
}

std::vector<float> HostAligner::point_scores(const LoopScan& scan, const Transform& local_pose) {
  const Motion motion = loop_start(local_pose).at.motion;
  const LevelMap& map = last_level();
  std::vector<float> scores(static_cast<std::size_t>(scan.view().size));
  pool_.for_each(scores.size(), [&](auto& team, std::size_t i) {
    team.once([&] { scores[i] = nearest_voxel_score(map.view, map.gauss, motion, scan.points[i]); });
  });
  return scores;
}

}  // namespace ndt
