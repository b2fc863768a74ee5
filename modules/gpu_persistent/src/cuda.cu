// persistent_cuda and persistent_cluster_cuda: one copy up, one launch, one copy down.
#include <memory>
#include <stdexcept>
#include <vector>

#include "launches.cuh"
#include "ndt/edge/device_aligner.cuh"
#include "ndt/gpu_persistent/aligner.hpp"

namespace ndt::gpu_persistent {
namespace {

/// Tags that no sum of a launch shares with one before. When they are used up the exchange is set to zero, whose tag is 0.
class Tags {
 public:
  /// The first of `count` tags; `clear` is called if they begin anew.
  template <class F>
  unsigned take(std::uint64_t count, F&& clear) {
    if (next_ == 0 || next_ + count > TaggedPartial::kTags) {
      clear();
      next_ = 1;
    }
    const auto first = static_cast<unsigned>(next_);
    next_ += count;
    return first;
  }
  /// What was handed out may not have been used as planned.
  void forget() { next_ = 0; }

 private:
  std::uint64_t next_ = 0;
};

enum class Team { grid, cluster, block };

class CudaAligner final : public LoopAligner, private DeviceRow {
 public:
  CudaAligner(const AlignOptions& options, Team alone)
      : LoopAligner(options),
        alone_(alone),
        cluster_size_(cluster_reason().empty() ? cluster_size(context()) : 0),
        exchange_(context(), alone == Team::grid ? 1 : 0),
        traces_(context()) {}

  MapInfo set_map(const PointCloud& map) override { return DeviceRow::set_map(map, LoopAligner::options()); }
  std::vector<VoxelRow> voxels() const override {
    require_map("voxels");
    return rows();
  }
  std::optional<Traffic> traffic() const override { return DeviceRow::traffic(); }

 private:
  const Vec3<double>* map_origin() const override { return origin(); }
  Point* room_for_scan(std::size_t points, std::size_t poses) override {
    return DeviceRow::room_for_scan(points, 0, poses * sizeof(LoopStart));
  }

  void run(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
           std::span<LoopRun> runs) override {
    transact([&] { run_once(scan, options, per_scan, runs); });
  }

  void run_once(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan, std::span<LoopRun> runs) {
    trace_lines_ = per_scan.trace ? options.max_iterations + 1 : 0;
    PersistentArguments arguments = prepare(scan, options, runs, trace_lines_);
    arguments.interrupt = interrupt_word(per_scan);
    launch(arguments, runs.size());
    fetch_traces(traces_.data(), trace_lines_, runs.size());
  }

  void finish(const PerScan& per_scan, std::span<LoopRun> runs, std::size_t k) override {
    transact([&] {
      runs[k].outcome = outcome_in_place(k, per_scan);
      if (k == 0) trace_lines_ > 0 ? context().synchronise() : context().count_wait();
      collect_trace(k, trace_lines_, runs[k]);
    });
  }

  bool finish_waits() const override { return true; }

  /// Uploads scan and poses, and says where everything is.
  PersistentArguments prepare(const LoopScan& scan, const LoopOptions& options, std::span<const LoopRun> runs,
                              int trace_lines) {
    starts_.resize(runs.size());
    for (std::size_t k = 0; k < runs.size(); ++k) starts_[k] = loop_start(runs[k].local_guess);
    const std::size_t start_bytes = starts_.size() * sizeof(LoopStart);
    const DeviceScan on_device = reserve_scan(scan.view(), 0, start_bytes);
    upload_scan(scan.view(), {}, starts_.data(), start_bytes);
    traces_.reserve(runs.size() * static_cast<std::size_t>(trace_lines));
    clear(traces_.data(), runs.size() * static_cast<std::size_t>(trace_lines) * sizeof(LoopTrace));

    PersistentArguments a;
    a.problem = {{on_device.points, scan.view().size}, view(), gauss(), options};
    a.surfaces = surfaces();
    a.mean_range_m = scan.facts.mean_range_m;
    a.starts = static_cast<const LoopStart*>(uploaded(start_bytes));
    a.outcomes = outcomes_in_place(runs.size());
    a.traces = trace_lines > 0 ? traces_.data() : nullptr;
    a.plan = ChunkPlan(scan.view().size);
    return a;
  }

  Team team_for(int points, std::size_t poses) const {
    if (poses == 1) return alone_;
    return blocks_of_a_pose(poses) > 1 && points > kMinChunkItems ? Team::cluster : Team::block;
  }
  /// A power of two: what of the GPU's multiprocessors falls to each pose.
  int blocks_of_a_pose(std::size_t poses) const {
    const int places = cuda_state().devices.front().multiprocessors;
    int blocks = cluster_size_;
    while (blocks > 1 && static_cast<int>(poses) * blocks > places) blocks /= 2;
    return blocks;
  }

  void launch(PersistentArguments& a, std::size_t poses) {
    const auto squad = static_cast<unsigned>(32 * a.plan.warps);
    const ChunkGroups& groups = a.plan.groups;
    switch (team_for(a.problem.scan.size, poses)) {
      case Team::grid: return launch_grid(a, squad, groups.chunks);
      case Team::cluster: {
        const auto blocks = static_cast<unsigned>(blocks_of_a_pose(poses));
        const unsigned groups_of_a_block = (static_cast<unsigned>(groups.groups) + blocks - 1) / blocks;
        cuda::Grid grid{blocks * static_cast<unsigned>(poses),
                        block_threads(squad, groups_of_a_block * static_cast<unsigned>(groups.per_group))};
        grid.cluster = blocks;
        return context().launch(cluster_kernel, grid, a);
      }
      case Team::block:
        return context().launch(
            block_kernel, {static_cast<unsigned>(poses), block_threads(squad, static_cast<unsigned>(groups.chunks))},
            a);
    }
  }

  void launch_grid(PersistentArguments& a, unsigned squad, int chunks) {
    // Warps without points gather.
    const unsigned threads = squad < kGatheringThreads ? kGatheringThreads : squad;
    const int resident = resident_blocks(threads);
    cuda::Grid grid{static_cast<unsigned>(chunks < resident ? chunks : resident), threads};
    grid.cooperative = true;
    a.exchange = exchange_.data();
    const auto evaluations =
        (static_cast<std::uint64_t>(a.problem.options.max_iterations) + 1) * StepSearch::kMaxTrials;
    a.first_tag = tags_.take(evaluations + 1, [&] { clear(exchange_.data(), sizeof(GridExchange)); });
    try {
      context().launch(grid_kernel, grid, a);
    } catch (...) {
      tags_.forget();
      throw;
    }
  }

  static constexpr unsigned kGatheringThreads = 320;

  int resident_blocks(unsigned threads) {
    int& known = resident_[threads / 32];
    if (known == 0) known = gpu_persistent::resident_blocks(context(), threads);
    return known;
  }

  /// As many squads as a block holds, and no more than have chunks.
  static unsigned block_threads(unsigned squad, unsigned chunks) {
    const unsigned fit = static_cast<unsigned>(kMostBlockThreads) / squad;
    return squad * (chunks < fit ? chunks : fit);
  }

  void score(const LoopScan& scan, std::span<const Transform> poses, std::span<Score> out) override {
    DeviceRow::score(scan.view(), gauss(), motions_at(poses), out);
  }
  std::vector<float> point_scores(const LoopScan& scan, const Transform& pose) override {
    return DeviceRow::point_scores(scan.view(), gauss(), loop_start(pose).at.motion);
  }

  Team alone_;  ///< of an alignment that is not in a batch
  int cluster_size_;
  int trace_lines_ = 0;  ///< of the run under way
  std::vector<LoopStart> starts_;
  cuda::DeviceBuffer<GridExchange> exchange_;
  cuda::DeviceBuffer<LoopTrace> traces_;
  Tags tags_;
  int resident_[kMostBlockThreads / 32 + 1] = {};
};

}  // namespace

std::string grid_unavailable_reason() {
  static const std::string reason = grid_reason();
  return reason;
}
std::string cluster_unavailable_reason() {
  static const std::string reason = cluster_reason();
  return reason;
}

std::unique_ptr<BatchAligner> make_grid_aligner(const AlignOptions& options) {
  if (const std::string reason = grid_unavailable_reason(); !reason.empty())
    throw std::runtime_error("persistent_cuda: " + reason);
  return std::make_unique<CudaAligner>(options, Team::grid);
}
std::unique_ptr<BatchAligner> make_cluster_aligner(const AlignOptions& options) {
  if (const std::string reason = cluster_unavailable_reason(); !reason.empty())
    throw std::runtime_error("persistent_cluster_cuda: " + reason);
  return std::make_unique<CudaAligner>(options, Team::cluster);
}

}  // namespace ndt::gpu_persistent
