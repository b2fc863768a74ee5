// persistent_cpu: nothing but the schedule.
#include <atomic>

#include "ndt/edge/conditioning.hpp"
#include "ndt/edge/loop_aligner.hpp"
#include "ndt/exec/host_team.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/gpu_persistent/aligner.hpp"
#include "ndt/score/scan_points_simd.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "persistent_align.hpp"

namespace ndt::gpu_persistent {
namespace {

class CpuAligner final : public LoopAligner {
 public:
  explicit CpuAligner(const AlignOptions& options) : LoopAligner(options), pool_(options.threads) {}

  MapInfo set_map(const PointCloud& map) override {
    map_ = std::make_unique<VoxelMap>(map, options());
    return map_->info();
  }
  std::vector<VoxelRow> voxels() const override {
    require_map("voxels");
    return map_->rows();
  }

 private:
  const Vec3<double>* map_origin() const override { return map_ ? &map_->origin() : nullptr; }

  void run(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
           std::span<LoopRun> runs) override {
    const Problem problem{scan.view(), map_->view(), gauss(), options};
    const auto trace_lines = static_cast<std::size_t>(per_scan.trace ? options.max_iterations + 1 : 0);
    for (LoopRun& one : runs) one.trace.resize(trace_lines);
    const auto conclude = [&](LoopRun& one) {
      // An evaluation alone has no ending to be judged.
      if (options.max_iterations > 0 && surfaces_matter(one.outcome.end))
        set_surfaces(surface_information(*map_, scan.view(), one.outcome.pose, scan.facts.mean_range_m), one.outcome);
    };
    if (static_cast<int>(runs.size()) < pool_.size())
      together(problem, HostWatch{per_scan}, runs, conclude);
    else
      side_by_side(problem, HostWatch{per_scan}, runs, conclude);
    if (per_scan.trace)
      for (LoopRun& one : runs) one.trace.resize(static_cast<std::size_t>(one.outcome.iterations) + 1);
  }

  /// All threads at one pose after the other.
  template <class Conclude>
  void together(const Problem& problem, const HostWatch& watch, std::span<LoopRun> runs, const Conclude& conclude) {
    for (LoopRun& one : runs) {
      pool_.run([&](HostTeam& team) { align_one(team, problem, watch, one); });
      conclude(one);
    }
  }

  /// A thread a pose, as the blocks of a GPU's batch: nobody waits for anybody. The bits are the same, for sums are folded
  /// alike.
  template <class Conclude>
  void side_by_side(const Problem& problem, const HostWatch& watch, std::span<LoopRun> runs, const Conclude& conclude) {
    std::atomic<std::size_t> next{0};
    pool_.run([&](HostTeam&) {
      BasicSerialTeam<SimdLanes> alone;
      for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < runs.size();) {
        align_one(alone, problem, watch, runs[k]);
        conclude(runs[k]);
      }
    });
  }

  template <class Team>
  static void align_one(Team& team, const Problem& problem, const HostWatch& watch, LoopRun& one) {
    LoopState state = begin_loop(one.local_guess);
    persistent_align(team, problem, watch, state, one.trace.empty() ? nullptr : one.trace.data());
    team.once([&] { one.outcome = outcome_of(state); });
  }

  void score(const LoopScan& scan, std::span<const Transform> poses, std::span<Score> out) override {
    LoopOptions evaluate_only;
    evaluate_only.max_iterations = 0;
    std::vector<LoopRun> runs(poses.size());
    for (std::size_t k = 0; k < poses.size(); ++k) runs[k].local_guess = poses[k];
    run(scan, evaluate_only, {}, runs);
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const Evaluation e = to_evaluation(runs[k].outcome, map_->origin(), scan.facts);
      out[k] = {e.score, e.transform_probability, e.nvtl, e.correspondences};
    }
  }

  std::vector<float> point_scores(const LoopScan& scan, const Transform& pose) override {
    const Motion motion = loop_start(pose).at.motion;
    const VoxelMapView map = map_->view();
    const ScanView view = scan.view();
    std::vector<float> scores(static_cast<std::size_t>(view.size));
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = nearest_voxel_score(map, gauss(), motion, view.points[i]);
    return scores;
  }

  HostPool pool_;
  std::unique_ptr<VoxelMap> map_;
};

}  // namespace

std::unique_ptr<BatchAligner> make_cpu_aligner(const AlignOptions& options) {
  return std::make_unique<CpuAligner>(options);
}

}  // namespace ndt::gpu_persistent
