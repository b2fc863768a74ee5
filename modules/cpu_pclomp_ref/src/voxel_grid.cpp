#include "voxel_grid.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <nanoflann.hpp>
#include <numeric>

namespace ndt::cpu_pclomp_ref {
namespace {

using Key = std::array<std::int64_t, 3>;  // z, y, x: the reference's leaf order, x fastest

struct Accumulator {
  double start;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second_moment;
  Eigen::Vector3f centroid_sum = Eigen::Vector3f::Zero();
  int n = 0;

  /// The reference starts at identity and never takes it back.
  explicit Accumulator(CovarianceStart from)
      : start(from == CovarianceStart::identity ? 1.0 : 0.0),
        second_moment(start * Eigen::Matrix3d::Identity()) {}

  void add(const Point& p) {
    const Eigen::Vector3d v(p.x, p.y, p.z);
    sum += v;
    second_moment += v * v.transpose();
    centroid_sum += Eigen::Vector3f(p.x, p.y, p.z);
    ++n;
  }
};

/// Below this largest variance [m²] a voxel is one point repeated and cannot be a Gaussian.
constexpr double kSmallestVariance = 1e-10;

using Eigen3 = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>;

/// The middle variance of a line is only rounding; this share of the largest is far above it.
constexpr double kLineVarianceRatio = 1e-9;

/// Finds a leaf's surface, from variances without the accumulator's start value, which is not the points'
/// own.
void find_surface(const Eigen3& solver, double start_variance, Leaf& leaf) {
  const Eigen::Array3d own = (solver.eigenvalues().array() - start_variance).max(0.0);
  if (!(own(1) > kLineVarianceRatio * own(2))) return;
  leaf.normal = solver.eigenvectors().col(0);
  leaf.flatness = 1 - own(0) / own(1);
}

/// Raises small eigenvalues to the floor, nested as in the reference: the middle one is tested only if the
/// smallest was low. Returns false if the largest is too small to mean anything.
bool floor_eigenvalues(const Eigen3& solver, double ratio, Eigen::Matrix3d& covariance) {
  Eigen::Vector3d values = solver.eigenvalues();
  const double lowest = ratio * values(2);
  if (!(values(2) > kSmallestVariance)) return false;
  if (values(0) >= lowest) return true;
  values(0) = lowest;
  if (values(1) < lowest) values(1) = lowest;
  const Eigen::Matrix3d& vectors = solver.eigenvectors();
  covariance = vectors * values.asDiagonal() * vectors.inverse();
  return true;
}

bool make_leaf(const Key& key, const Accumulator& a, double eigenvalue_ratio, Leaf& leaf) {
  leaf.key[0] = key[2], leaf.key[1] = key[1], leaf.key[2] = key[0];
  leaf.points = a.n;
  leaf.centroid = a.centroid_sum / static_cast<float>(a.n);
  leaf.mean = a.sum / a.n;
  leaf.covariance = (a.second_moment - a.sum * leaf.mean.transpose()) / (a.n - 1);
  const Eigen3 solver(leaf.covariance);
  find_surface(solver, a.start / (a.n - 1), leaf);
  if (!floor_eigenvalues(solver, eigenvalue_ratio, leaf.covariance)) return false;
  leaf.inverse_covariance_transposed = leaf.covariance.inverse().transpose();
  return leaf.inverse_covariance_transposed.allFinite();
}

/// Farther cells count as this one, so that the neighbours of a cell have coordinates too.
constexpr float kFarthestCell = 0x1p62F;

/// floor(x / resolution) with a float32 product.
std::int64_t voxel_coordinate(float x, float inverse_resolution) {
  const float cell = std::floor(x * inverse_resolution);
  return static_cast<std::int64_t>(std::fmin(std::fmax(cell, -kFarthestCell), kFarthestCell));
}

struct Centroids {
  const std::vector<Leaf>& leaves;
  std::size_t kdtree_get_point_count() const { return leaves.size(); }
  float kdtree_get_pt(std::size_t i, std::size_t axis) const {
    return leaves[i].centroid(static_cast<Eigen::Index>(axis));
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// A nanoflann result set of everything strictly inside the radius.
struct RadiusCollector {
  using DistanceType = float;
  float squared_radius;
  std::vector<Neighbour>& found;

  bool addPoint(float squared_distance, std::uint32_t leaf) {
    if (squared_distance < squared_radius) found.push_back({squared_distance, leaf});
    return true;
  }
  float worstDist() const { return squared_radius; }
  bool full() const { return true; }
  std::size_t size() const { return found.size(); }
};

}  // namespace

struct VoxelGrid::Tree {
  using Metric = nanoflann::L2_Simple_Adaptor<float, Centroids, float, std::uint32_t>;
  using Index = nanoflann::KDTreeSingleIndexAdaptor<Metric, Centroids, 3, std::uint32_t>;
  Centroids centroids;
  Index index;
  // Small tree leaves: a query visits few centroids, and each test costs more than a descent.
  explicit Tree(const std::vector<Leaf>& leaves)
      : centroids{leaves}, index(3, centroids, nanoflann::KDTreeSingleIndexAdaptorParams(4)) {}
};

VoxelGrid::VoxelGrid(const std::vector<Point>& points, const AlignOptions& options)
    : squared_radius_(static_cast<float>(options.resolution_m * options.resolution_m)),
      inverse_resolution_(1.0F / static_cast<float>(options.resolution_m)),
      neighbours_(options.neighbours),
      covariance_start_(options.covariance_start) {
  std::vector<Key> keys(points.size());
  const auto cell = [&](float x) { return voxel_coordinate(x, inverse_resolution_); };
  for (std::size_t i = 0; i < points.size(); ++i)
    keys[i] = {cell(points[i].z), cell(points[i].y), cell(points[i].x)};
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  // Ties by index: the float32 centroid depends on the cloud order.
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });

  for (std::size_t i = 0; i < order.size();) {
    const Key key = keys[order[i]];
    Accumulator sums(options.covariance_start);
    for (; i < order.size() && keys[order[i]] == key; ++i) sums.add(points[order[i]]);
    ++occupied_voxels_;
    Leaf leaf;
    if (sums.n < options.min_points || !make_leaf(key, sums, options.eigenvalue_ratio, leaf)) continue;
    if (neighbours_ != Neighbours::radius) leaf_of_voxel_[key] = static_cast<std::uint32_t>(leaves_.size());
    leaves_.push_back(leaf);
  }
  if (!leaves_.empty()) tree_ = std::make_unique<Tree>(leaves_);
}

VoxelGrid::~VoxelGrid() = default;

void VoxelGrid::direct_search(const float query[3], std::vector<Neighbour>& out) const {
  out.clear();
  std::int64_t own[3];
  for (int axis = 0; axis < 3; ++axis) own[axis] = voxel_coordinate(query[axis], inverse_resolution_);
  const int reach = neighbours_ == Neighbours::direct1 ? 0 : 1;
  for (int dz = -reach; dz <= reach; ++dz)
    for (int dy = -reach; dy <= reach; ++dy)
      for (int dx = -reach; dx <= reach; ++dx) {
        if (neighbours_ == Neighbours::direct7 && dx * dx + dy * dy + dz * dz > 1) continue;
        const auto found = leaf_of_voxel_.find({own[2] + dz, own[1] + dy, own[0] + dx});
        if (found != leaf_of_voxel_.end()) out.push_back({0.0F, found->second});
      }
}

void VoxelGrid::radius_search(const float query[3], std::vector<Neighbour>& out) const {
  out.clear();
  RadiusCollector collector{squared_radius_, out};
  tree_->index.findNeighbors(collector, query, nanoflann::SearchParams());
  // Insertion sort: the lists are a handful long, and std::sort costs more than that.
  for (std::size_t i = 1; i < out.size(); ++i)
    for (std::size_t j = i; j > 0 && out[j].squared_distance < out[j - 1].squared_distance; --j)
      std::swap(out[j], out[j - 1]);
}

}  // namespace ndt::cpu_pclomp_ref
