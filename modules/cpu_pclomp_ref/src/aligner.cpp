#include <omp.h>

#include <stdexcept>

#include "float_pose.hpp"
#include "ndt/align/usable_points.hpp"
#include "ndt/cpu_pclomp_ref/implementations.hpp"
#include "outcome.hpp"
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
      : options_(options),
        constants_(options.outlier_ratio, options.resolution_m),
        threads_(options.threads > 0 ? options.threads : omp_get_num_procs()) {}

  MapInfo set_map(const PointCloud& map) override {
    require_map_precision(map, options_);
    const FinitePoints finite = finite_points(map);
    require_global_map_precision(finite.points, options_);
    auto grid = std::make_unique<VoxelGrid>(finite.points, options_);
    MapInfo info;
    info.points = static_cast<std::int64_t>(finite.points.size());
    info.dropped_points = finite.dropped;
    info.voxels = static_cast<std::int64_t>(grid->leaves().size());
    if (grid->leaves().empty()) throw_no_valid_voxel(info, grid->occupied_voxels(), options_);
    grid_ = std::move(grid);
    return info;
  }

  AlignResult align(const PointCloud& cloud, const Transform& guess, const PerScan& per_scan) override {
    const ScanProblem problem = problem_for(cloud, guess, per_scan, "align");
    return Registration(problem).run(guess);
  }

  Evaluation evaluate(const PointCloud& cloud, const Transform& pose, const PerScan& per_scan) override {
    const ScanProblem problem = problem_for(cloud, pose, per_scan, "evaluate");
    const Eigen::Matrix4f matrix = to_float(pose);
    Evaluation out;
    out.derivative_pose = pose_of(matrix);
    const Sums sums = problem.sums_at(matrix, out.derivative_pose);
    out.score = sums.score;
    out.transform_probability = sums.probability(problem.scan.points.size());
    out.nvtl = sums.nvtl();
    out.correspondences = sums.pairs;
    out.points_with_voxels = sums.points_with_voxels;
    out.dropped_points = problem.scan.dropped;
    for (int i = 0; i < 6; ++i) out.gradient[i] = sums.gradient(i);
    out.hessian = to_mat6(sums.hessian);
    if (per_scan.point_scores)
      out.point_scores = nearest_voxel_scores(*grid_, constants_, problem.scan.points, matrix);
    return out;
  }

  std::vector<VoxelInfo> voxels() const override {
    require_map("voxels");
    std::vector<VoxelInfo> rows;
    for (const Leaf& leaf : grid_->leaves())
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
    if (!grid_) throw std::logic_error(std::string(where) + ": set_map was not called");
  }
  ScanProblem problem_for(const PointCloud& cloud, const Transform& pose, const PerScan& per_scan,
                          const char* where) const {
    require_map(where);
    require_rigid(pose, where);
    return {*grid_, constants_, options_, threads_, scan_points(cloud, options_, where), per_scan};
  }

  AlignOptions options_;
  GaussConstants constants_;
  int threads_;
  std::unique_ptr<VoxelGrid> grid_;
};

std::string always() { return {}; }

std::unique_ptr<Aligner> make_reference(const AlignOptions& options) {
  validate(options);
  return std::make_unique<ReferenceAligner>(options);
}

constexpr Implementation kImplementations[] = {
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
