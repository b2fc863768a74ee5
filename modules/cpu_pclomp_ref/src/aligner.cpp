#include <omp.h>

#include <stdexcept>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/cpu_pclomp_ref/implementations.hpp"
#include "outcome.hpp"
#include "pose_vectors.hpp"
#include "pyramid.hpp"
#include "registration.hpp"
#include "voxel_grid.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

Sym3<double> upper(const Eigen::Matrix3d& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
}
Vec3<double> to_vec3(const Eigen::Vector3d& v) { return {v(0), v(1), v(2)}; }

class ReferenceAligner final : public Aligner {
 public:
  explicit ReferenceAligner(const AlignOptions& options)
      : options_(options), threads_(options.threads > 0 ? options.threads : omp_get_num_procs()) {}

  MapInfo set_map(const Scan& given) override {
    const Turn turn(*this, "set_map");
    const PointCloud& map = host_cloud(given, "set_map");
    require_map_precision(map.points, options_);
    const FinitePoints finite = finite_points(map);
    require_global_map_precision(finite.points, options_);
    std::vector<std::unique_ptr<const Level>> levels;
    for (const double level : options_.levels)
      levels.push_back(std::make_unique<Level>(finite.points, options_, level * options_.resolution_m));
    const VoxelGrid& finest = levels.back()->grid;
    MapInfo info;
    info.points = static_cast<std::int64_t>(finite.points.size());
    info.dropped_points = finite.dropped;
    info.voxels = static_cast<std::int64_t>(finest.leaves().size());
    if (finest.leaves().empty())
      throw_no_valid_voxel(info, finest.occupied_voxels(), at_edge(options_, levels.back()->edge_m));
    // A coarse level whose voxels share out the points too thinly, as at the edges of a small cloud, is left
    // out.
    std::erase_if(levels, [](const auto& level) { return level->grid.leaves().empty(); });
    levels_ = std::move(levels);
    windows_.reset();
    if (options_.finish == Finish::windows) windows_ = std::make_unique<Windows>(finite.points, options_);
    return info;
  }

  AlignResult align(const Scan& given, const Transform& guess, const PerScan& per_scan) override {
    const Turn turn(*this, "align");
    const FinitePoints scan = usable_scan(given, guess, "align");
    if (has_pyramid()) {
      const PyramidProblem problem{levels_, options_, threads_, scan, per_scan, windows_.get()};
      return PyramidRegistration(problem).run(guess);
    }
    const ScanProblem problem{
        levels_.back()->grid, levels_.back()->constants, options_, threads_, scan, per_scan};
    return Registration(problem).run(guess);
  }

  Evaluation evaluate(const Scan& given, const Transform& pose, const PerScan& per_scan) override {
    const Turn turn(*this, "evaluate");
    const FinitePoints scan = usable_scan(given, pose, "evaluate");
    const Level& level = *levels_.back();
    const Eigen::Matrix4f matrix = to_float(pose);
    Evaluation out;
    out.derivative_pose = has_pyramid() ? pose_of(pose) : pose_of(matrix);
    Sums sums;
    if (has_pyramid()) {
      const PyramidProblem problem{levels_, options_, threads_, scan, per_scan};
      sums = problem.sums_at(problem.last_level(), out.derivative_pose, 1);
    } else {
      const ScanProblem problem{level.grid, level.constants, options_, threads_, scan, per_scan};
      sums = problem.sums_at(matrix, out.derivative_pose);
    }
    out.score = sums.score;
    out.transform_probability = sums.probability(scan.points.size());
    out.nvtl = sums.nvtl();
    out.correspondences = sums.pairs;
    out.points_with_voxels = sums.points_with_voxels;
    out.dropped_points = scan.dropped;
    for (int i = 0; i < 6; ++i) out.gradient[i] = sums.gradient(i);
    out.hessian = to_mat6(sums.hessian);
    if (per_scan.point_scores)
      out.point_scores = nearest_voxel_scores(level.grid, level.constants, scan.points, matrix);
    return out;
  }

  std::vector<VoxelInfo> voxels() const override {
    const Turn turn(*this, "voxels");
    require_map("voxels");
    std::vector<VoxelInfo> rows;
    for (const Leaf& leaf : levels_.back()->grid.leaves())
      rows.push_back({{leaf.key[0], leaf.key[1], leaf.key[2]},
                      leaf.points,
                      to_vec3(leaf.centroid.cast<double>()),
                      to_vec3(leaf.mean),
                      upper(leaf.covariance),
                      upper(leaf.inverse_covariance_transposed.transpose())});
    return rows;
  }

 private:
  void require_map(const char* where) const {
    if (levels_.empty()) throw std::logic_error(std::string(where) + ": set_map was not called");
  }
  bool has_pyramid() const { return options_.step_control == StepControl::trust_region; }
  FinitePoints usable_scan(const Scan& scan, const Transform& pose, const char* where) const {
    require_map(where);
    require_rigid(pose, where);
    return scan_points(host_cloud(scan, where), options_, where);
  }

  AlignOptions options_;
  int threads_;
  std::vector<std::unique_ptr<const Level>> levels_;  ///< coarse to fine; the reference has one
  std::unique_ptr<const Windows> windows_;
};

std::string always() { return {}; }

std::unique_ptr<Aligner> make_reference(const AlignOptions& options) {
  validate(options);
  return std::make_unique<ReferenceAligner>(options);
}

const Implementation kImplementations[] = {
    {.name = "cpu_pclomp_ref",
     .runs_on = "CPU threads",
     .schedule = "the oracle: the reference's own arithmetic, one parallel loop per evaluation",
     .unavailable_reason = always,
     .make = make_reference,
     .auto_rank = 10},
};

}  // namespace

std::span<const Implementation> implementations() { return kImplementations; }

}  // namespace ndt::cpu_pclomp_ref
