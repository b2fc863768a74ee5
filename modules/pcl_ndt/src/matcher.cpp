// The only translation unit that reads PCL's registration headers.
#include "matcher.hpp"

#include <pcl/common/transforms.h>
#include <pcl/console/print.h>
#include <pcl/registration/ndt.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/score/derivative_sums.hpp"

namespace ndt::pcl_ndt {
namespace {

using PclPoint = pcl::PointXYZ;
using Cloud = pcl::PointCloud<PclPoint>;
using Cells = pcl::VoxelGridCovariance<PclPoint>;
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// Silences PCL, which prints errors to the console; ours are in results and exceptions.
class Quiet {
 public:
  Quiet() : before_(pcl::console::getVerbosityLevel()) {
    pcl::console::setVerbosityLevel(pcl::console::L_ALWAYS);
  }
  ~Quiet() { pcl::console::setVerbosityLevel(before_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  pcl::console::VERBOSITY_LEVEL before_;
};

struct NonFiniteQuery {};
struct Interrupted {};

/// Reads a point for the k-d tree as PCL does by default, and counts the look-ups. It throws where PCL's tree
/// would abort the process, because PCL's line search may divide by zero and move the scan to NaN.
class CountedPoint final : public pcl::PointRepresentation<PclPoint> {
 public:
  CountedPoint() {
    nr_dimensions_ = 3;
    trivial_ = true;
  }
  void copyToFloatArray(const PclPoint& p, float* out) const override {
    ++count;
    std::copy_n(p.data, 3, out);
  }
  bool isValid(const PclPoint& p) const override {
    if (!pcl::PointRepresentation<PclPoint>::isValid(p)) throw NonFiniteQuery{};
    return true;
  }
  mutable std::int64_t count = 0;
};

/// Opens the tree over the voxels' centroids, which PCL hides from its users.
struct CellsWithTree : Cells {
  static pcl::KdTreeFLANN<PclPoint>& tree(Cells& cells) { return cells.*(&CellsWithTree::kdtree_); }
};

Cloud::Ptr to_cloud(const std::vector<Point>& points) {
  Cloud::Ptr cloud(new Cloud);
  cloud->reserve(points.size());
  for (const Point& p : points) cloud->push_back({p.x, p.y, p.z});
  return cloud;
}

Eigen::Matrix4f to_float(const Transform& t) {
  Eigen::Matrix4f m;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) m(i, j) = static_cast<float>(t(i, j));
  return m;
}

Transform to_double(const Eigen::Matrix4f& m) {
  Transform t;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) t(i, j) = static_cast<double>(m(i, j));
  return t;
}

/// PCL numbers the cells of the map's bounding box with 32 bits. Beyond that it keeps no voxel and says so on
/// the console only, or lets the number overflow.
void require_countable(const std::vector<Point>& points, double resolution_m) {
  constexpr double kLimit = std::numeric_limits<std::int32_t>::max();
  const float inverse = 1.0F / static_cast<float>(resolution_m);
  double cells[3];
  bool fits = true;
  for (int axis = 0; axis < 3; ++axis) {
    float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
    for (const Point& p : points) {
      const float v = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
      low = std::min(low, v), high = std::max(high, v);
    }
    const double first = std::floor(low * inverse), last = std::floor(high * inverse);
    cells[axis] = last - first + 1;
    fits = fits && first >= -kLimit && last <= kLimit;
  }
  if (!fits || cells[0] * cells[1] * cells[2] > kLimit)
    throw InputError(formatted(
        "set_map: the map spans {:g} x {:g} x {:g} voxels of {} m, and PCL cannot number more than {:.0f}, "
        "nor any so far from the origin; remove outliers or choose a larger resolution",
        cells[0], cells[1], cells[2], resolution_m, kLimit));
}

}  // namespace

/// Opens PCL's protected members: its derivatives, voxels and last step.
class Matcher::Ndt final : public pcl::NormalDistributionsTransform<PclPoint, PclPoint> {
 public:
  Ndt(const std::vector<Point>& points, const AlignOptions& o) : points_(new CountedPoint), reader_(points_) {
    // Otherwise the base class would build a tree over the whole map at the first alignment, and NDT never
    // uses it.
    setSearchMethodTarget(KdTreePtr(new KdTree), true);
    setResolution(static_cast<float>(o.resolution_m));
    setStepSize(o.step_m);
    setOulierRatio(o.outlier_ratio);
    setMaximumIterations(o.max_iterations);
    // Not 0, because PCL would then test the rotation only.
    setTransformationEpsilon(std::max(o.epsilon_m * o.epsilon_m, std::numeric_limits<double>::min()));
    setTransformationRotationEpsilon(std::cos(std::min(o.epsilon_m, kPi)));
    setMinPointPerVoxel(static_cast<unsigned>(o.min_points));
    target_cells_.setCovEigValueInflationRatio(o.eigenvalue_ratio);
    CellsWithTree::tree(target_cells_).setPointRepresentation(reader_);
    // Sets them as computeTransformation does, because an evaluation may come first.
    const Gauss<double> gauss = make_gauss(o.outlier_ratio, static_cast<double>(resolution_));
    gauss_d1_ = gauss.d1, gauss_d2_ = gauss.d2;
    setInputTarget(to_cloud(points));
    require_finite_voxels();
  }

  bool overlaps(const Eigen::Matrix4f& pose) {
    for (const PclPoint& p : moved_scan(pose))
      if (find_cells(p)) return true;
    return false;
  }

  Sums sums_at(const Transform& pose) {
    const Pose at = derivative_pose(pose);
    Vector6d angles;
    angles << at.x, at.y, at.z, at.roll, at.pitch, at.yaw;
    computeAngleDerivatives(angles);
    point_jacobian_.setZero();
    point_jacobian_.block<3, 3>(0, 0).setIdentity();
    point_hessian_.setZero();
    const Cloud& moved = moved_scan(to_float(pose));
    Vector6d gradient = Vector6d::Zero();
    Matrix6d hessian = Matrix6d::Zero();
    Sums sums;
    sums.point_scores.reserve(moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      double largest = 0;
      if (find_cells(moved[i])) {
        computePointDerivatives((*input_)[i].getVector3fMap().cast<double>());
        for (const auto& cell : cells_) {
          const Eigen::Vector3d q = moved[i].getVector3fMap().cast<double>() - cell->getMean();
          const double score = updateDerivatives(gradient, hessian, q, cell->getInverseCov());
          sums.score += score;
          largest = std::max(largest, score);
        }
        ++sums.points_with_voxels;
        sums.pairs += static_cast<std::int64_t>(cells_.size());
      }
      sums.nearest_voxel_score += largest;
      sums.point_scores.push_back(static_cast<float>(largest));
    }
    for (int i = 0; i < 6; ++i) {
      sums.gradient[i] = gradient(i);
      for (int j = 0; j < 6; ++j) sums.hessian(i, j) = hessian(i, j);
    }
    return sums;
  }

  Path run(const Eigen::Matrix4f& guess, const std::function<bool()>& give_up) {
    Path path;
    const std::int64_t before = points_->count;
    update_visualizer_ = [&](const Cloud&, const pcl::Indices&, const Cloud&, const pcl::Indices&) {
      if (!final_transformation_.allFinite()) throw NonFiniteQuery{};
      path.iterations.push_back({to_double(final_transformation_), step_length()});
      if (give_up()) throw Interrupted{};
    };
    try {
      align(aligned_, guess);
      path.end = !converged_                                           ? End::non_finite
                 : nr_iterations_ < max_iterations_ || step_rule_met() ? End::step_rule_met
                                                                       : End::max_iterations;
    } catch (const NonFiniteQuery&) {
      path.end = End::line_search_failed;
    } catch (const Interrupted&) {
      path.end = End::interrupted;
    }
    update_visualizer_ = nullptr;
    path.passes = (points_->count - before) / static_cast<std::int64_t>(input_->size());
    return path;
  }

  std::vector<VoxelInfo> voxel_table() {
    const Eigen::Vector3i low = target_cells_.getMinBoxCoordinates(), n = target_cells_.getNrDivisions();
    std::vector<VoxelInfo> table;
    for (const auto& [index, leaf] : target_cells_.getLeaves()) {
      if (leaf.nr_points < target_cells_.getMinPointPerVoxel()) continue;  // or PCL found no inverse
      const auto i = static_cast<std::int64_t>(index);
      const auto sym = [](const Eigen::Matrix3d& m) {
        return Sym3<double>{m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
      };
      table.push_back({{low(0) + i % n(0), low(1) + i / n(0) % n(1), low(2) + i / n(0) / n(1)},
                       leaf.nr_points,
                       {leaf.centroid(0), leaf.centroid(1), leaf.centroid(2)},
                       {leaf.mean_(0), leaf.mean_(1), leaf.mean_(2)},
                       sym(leaf.cov_),
                       sym(leaf.icov_)});
    }
    return table;
  }

  std::int64_t occupied_voxels() { return static_cast<std::int64_t>(target_cells_.getLeaves().size()); }

 private:
  /// Refuses voxels whose inverse overflowed. PCL keeps them among those it searches, and its SVD then reads
  /// unwritten memory.
  void require_finite_voxels() {
    for (const auto& [index, leaf] : target_cells_.getLeaves())
      if (!leaf.icov_.allFinite())
        throw InputError(
            formatted("set_map: PCL finds no finite inverse covariance of a voxel at ({}, {}, {}) m; "
                      "choose a larger eigenvalue ratio",
                      leaf.mean_(0), leaf.mean_(1), leaf.mean_(2)));
  }

  const Cloud& moved_scan(const Eigen::Matrix4f& pose) {
    pcl::transformPointCloud(*input_, moved_, pose);
    return moved_;
  }

  bool find_cells(const PclPoint& p) {
    if (!pcl::isFinite(p)) return false;  // a pose beyond what float32 holds
    return target_cells_.radiusSearch(p, resolution_, cells_, squared_distances_) > 0;
  }

  /// Length of PCL's last step, from its matrix, which is all that PCL keeps of it.
  double step_length() const {
    const Pose s = principal(derivative_pose(to_double(transformation_)));
    return std::sqrt(s.x * s.x + s.y * s.y + s.z * s.z + s.roll * s.roll + s.pitch * s.pitch + s.yaw * s.yaw);
  }

  /// Applies PCL's rule for steps, because at the iteration limit PCL calls every step converged.
  bool step_rule_met() const {
    const float cosine = 0.5F * (transformation_.block<3, 3>(0, 0).trace() - 1);
    return transformation_.block<3, 1>(0, 3).squaredNorm() <= transformation_epsilon_ &&
           (transformation_rotation_epsilon_ <= 0 || cosine >= transformation_rotation_epsilon_);
  }

  CountedPoint* points_;  // owned by reader_
  pcl::PointRepresentation<PclPoint>::ConstPtr reader_;
  Cloud moved_, aligned_;
  std::vector<Cells::LeafConstPtr> cells_;
  std::vector<float> squared_distances_;
};

Matcher::Matcher(const std::vector<Point>& points, const AlignOptions& options) {
  require_countable(points, options.resolution_m);
  const Quiet quiet;
  ndt_ = std::make_unique<Ndt>(points, options);
}

Matcher::~Matcher() = default;

void Matcher::set_scan(const std::vector<Point>& points) { ndt_->setInputSource(to_cloud(points)); }

bool Matcher::overlaps(const Transform& pose) {
  const Quiet quiet;
  return ndt_->overlaps(to_float(pose));
}

Sums Matcher::sums_at(const Transform& pose) {
  const Quiet quiet;
  return ndt_->sums_at(pose);
}

Path Matcher::align(const Transform& guess, const std::function<bool()>& give_up) {
  const Quiet quiet;
  return ndt_->run(to_float(guess), give_up);
}

std::vector<VoxelInfo> Matcher::voxels() { return ndt_->voxel_table(); }
std::int64_t Matcher::occupied_voxels() { return ndt_->occupied_voxels(); }

}  // namespace ndt::pcl_ndt
