// persistent_cpu: nothing but the schedule.
#include "ndt/exec/host_team.hpp"
#include "ndt/gpu_persistent/aligner.hpp"
#include "ndt/score/scan_points_simd.hpp"
#include "ndt/solve/loop_aligner.hpp"
#include "ndt/solve/surface_conditioning.hpp"
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
    for (LoopRun& one : runs) run_one(scan, options, per_scan, one);
  }

  void run_one(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan, LoopRun& one) {
    const Problem problem{scan.view(), map_->view(), gauss(), options};
    const LoopState start = begin_loop(one.local_guess);
    const HostWatch watch{per_scan};
    if (per_scan.trace) one.trace.resize(static_cast<std::size_t>(options.max_iterations) + 1);
    LoopTrace* trace = per_scan.trace ? one.trace.data() : nullptr;
    pool_.run([&](HostTeam& team) {
      LoopState state = start;
      persistent_align(team, problem, watch, state, trace);
      team.once([&] { one.outcome = outcome_of(state); });
    });
    if (per_scan.trace) one.trace.resize(static_cast<std::size_t>(one.outcome.iterations) + 1);
    // An evaluation alone has no ending to be judged.
    if (options.max_iterations > 0 && surfaces_matter(one.outcome.end))
      set_surfaces(surface_information(*map_, scan.view(), one.outcome.pose, scan.facts.mean_range_m), one.outcome);
  }

  void score(const LoopScan& scan, std::span<const Transform> poses, std::span<Score> out) override {
    LoopOptions evaluate_only;
    evaluate_only.max_iterations = 0;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      LoopRun one{poses[k], {}, {}};
      run_one(scan, evaluate_only, {}, one);
      const Evaluation e = to_evaluation(one.outcome, map_->origin(), scan.facts);
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
