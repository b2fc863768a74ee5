// persistent_cpu: nothing but the schedule.
#include <stdexcept>
#include <string>

#include "ndt/align/precision.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/exec/host_team.hpp"
#include "ndt/gpu_persistent/aligner.hpp"
#include "ndt/score/scan_points_simd.hpp"
#include "ndt/solve/loop_result.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "persistent_align.hpp"

namespace ndt::gpu_persistent {
namespace {

class CpuAligner final : public BatchAligner {
 public:
  explicit CpuAligner(const AlignOptions& options) : options_(options), pool_(options.threads) {
    const Gauss<double> gauss = make_gauss(options.outlier_ratio, options.resolution_m);
    gauss_ = {static_cast<float>(gauss.d1), static_cast<float>(gauss.d2)};
  }

  MapInfo set_map(const PointCloud& map) override {
    map_ = std::make_unique<VoxelMap>(map, options_);
    return map_->info();
  }

  AlignResult align(const PointCloud& cloud, const Transform& guess, const PerScan& per_scan) override {
    require(guess, "align");
    const Scan scan(cloud, options_, "align");
    return align_one(scan, guess, per_scan);
  }

  Evaluation evaluate(const PointCloud& cloud, const Transform& pose, const PerScan& per_scan) override {
    require(pose, "evaluate");
    const Scan scan(cloud, options_, "evaluate");
    Evaluation out = to_evaluation(evaluate_one(scan, pose, per_scan), map_->origin(), scan.facts);
    if (per_scan.point_scores) {
      const Motion motion = begin_loop(to_local(pose, map_->origin())).motion;
      const VoxelMapView map = map_->view();
      out.point_scores.reserve(scan.points.points.size());
      for (const Point& x : scan.points.points) out.point_scores.push_back(nearest_voxel_score(map, gauss_, motion, x));
    }
    return out;
  }

  void align_batch(const PointCloud& cloud, std::span<const Transform> guesses, std::span<AlignResult> out,
                   const PerScan& per_scan) override {
    require_equal(guesses.size(), out.size(), "align_batch");
    for (const Transform& guess : guesses) require(guess, "align_batch");
    const Scan scan(cloud, options_, "align_batch");
    for (std::size_t k = 0; k < guesses.size(); ++k) out[k] = align_one(scan, guesses[k], per_scan);
  }

  void score_batch(const PointCloud& cloud, std::span<const Transform> poses, std::span<Score> out) override {
    require_equal(poses.size(), out.size(), "score_batch");
    for (const Transform& pose : poses) require(pose, "score_batch");
    const Scan scan(cloud, options_, "score_batch");
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const Evaluation e = to_evaluation(evaluate_one(scan, poses[k], {}), map_->origin(), scan.facts);
      out[k] = {e.score, e.transform_probability, e.nvtl, e.correspondences};
    }
  }

  std::vector<VoxelRow> voxels() const override {
    require_map("voxels");
    return map_->rows();
  }

 private:
  /// Finite points in the scan's own frame, and what results say of them.
  struct Scan {
    Scan(const PointCloud& cloud, const AlignOptions& options, const char* where)
        : points(scan_points(cloud, options, where)) {
      facts = {static_cast<std::int64_t>(points.points.size()), points.dropped, ndt::mean_range_m(points.points)};
    }
    ScanView view() const { return {points.points.data(), static_cast<int>(points.points.size())}; }
    FinitePoints points;
    ScanFacts facts;
  };

  void require_map(const char* where) const {
    if (!map_) throw std::logic_error(std::string(where) + ": set_map was not called");
  }
  void require(const Transform& pose, const char* where) const {
    require_map(where);
    require_rigid(pose, where);
  }
  static void require_equal(std::size_t poses, std::size_t results, const char* where) {
    if (poses > Limits::kBatch)
      throw std::invalid_argument(std::string(where) + ": " + std::to_string(poses) + " poses, at most " +
                                  std::to_string(Limits::kBatch) + " in one call; split them");
    if (poses != results)
      throw std::invalid_argument(std::string(where) + ": " + std::to_string(poses) + " poses but room for " +
                                  std::to_string(results) + " results");
  }

  LoopState run(const Scan& scan, const Transform& guess, const LoopOptions& options, const PerScan& per_scan,
                LoopTrace* trace) {
    const Problem problem{scan.view(), map_->view(), gauss_, options};
    const LoopState start = begin_loop(to_local(guess, map_->origin()));
    const HostWatch watch{per_scan};
    Shared shared;
    pool_.run([&](HostTeam& team) {
      LoopState state = start;
      persistent_align(team, problem, watch, state, &shared, trace);
    });
    return shared.end;
  }

  LoopState evaluate_one(const Scan& scan, const Transform& pose, const PerScan& per_scan) {
    LoopOptions options = loop_options(options_, per_scan, map_->origin());
    options.max_iterations = 0;
    return run(scan, pose, options, per_scan, nullptr);
  }

  AlignResult align_one(const Scan& scan, const Transform& guess, const PerScan& per_scan) {
    const LoopOptions options = loop_options(options_, per_scan, map_->origin());
    std::vector<LoopTrace> trace(per_scan.trace ? static_cast<std::size_t>(options.max_iterations) + 1 : 0);
    const LoopState end = run(scan, guess, options, per_scan, per_scan.trace ? trace.data() : nullptr);
    if (per_scan.trace) trace.resize(static_cast<std::size_t>(end.iterations) + 1);
    const auto surfaces_at = [&](const Pose& pose) {
      return surface_conditioning(*map_, scan.view(), pose, scan.facts.mean_range_m);
    };
    return to_result(end, guess, map_->origin(), scan.facts, surfaces_at, trace);
  }

  AlignOptions options_;
  HostPool pool_;
  Gauss<float> gauss_;
  std::unique_ptr<VoxelMap> map_;
};

}  // namespace

std::unique_ptr<BatchAligner> make_cpu_aligner(const AlignOptions& options) {
  validate(options);
  return std::make_unique<CpuAligner>(options);
}

}  // namespace ndt::gpu_persistent
