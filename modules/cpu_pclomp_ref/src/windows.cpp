#include "windows.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace ndt::cpu_pclomp_ref {
namespace {

constexpr int kLayers = 3;
/// Below this largest variance [m²] a window is one point repeated and cannot be a Gaussian.
constexpr double kLeastVariance = 1e-10;
/// The least middle variance over the largest by which a window is scaled: beyond it, it is a line.
constexpr double kLeastMiddle = 0.01;

}  // namespace

Eigen::Vector3d Windows::Layer::centre(const Cell& cell) const {
  return edge_m * (Eigen::Vector3d(static_cast<double>(cell[0]), static_cast<double>(cell[1]),
                                   static_cast<double>(cell[2])) +
                   Eigen::Vector3d::Constant(0.5));
}

Windows::Windows(const std::vector<Point>& points, const AlignOptions& options)
    : min_points_(options.finish_min_points), eigenvalue_ratio_(options.finish_eigenvalue_ratio) {
  const double edge_m = finish_cell_m(options);
  inverse_edge_ = 1.0F / static_cast<float>(edge_m);
  for (int l = 0; l < kLayers; ++l) layers_.push_back({edge_m * (1 << l), {}});
  for (const Point& p : points) {
    const Eigen::Vector3f position(p.x, p.y, p.z);
    Cell cell;
    for (int axis = 0; axis < 3; ++axis)
      cell[static_cast<std::size_t>(axis)] =
          static_cast<std::int64_t>(std::floor(position(axis) * inverse_edge_));
    for (Layer& layer : layers_) {
      Moments& sums = layer.cells[cell];
      const Eigen::Vector3d d = position.cast<double>() - layer.centre(cell);
      sums.n += 1, sums.sum += d, sums.second += d * d.transpose();
      for (std::int64_t& c : cell) c >>= 1;
    }
  }
}

Windows::Moments Windows::sum_about(const Eigen::Vector3d& centre, const Layer& layer,
                                    const Cell& own) const {
  Moments total;
  for (std::int64_t dz = -1; dz <= 1; ++dz)
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const auto found = layer.cells.find({own[0] + dx, own[1] + dy, own[2] + dz});
        if (found == layer.cells.end()) continue;
        const Moments& m = found->second;
        const Eigen::Vector3d t = layer.centre(found->first) - centre;
        total.n += m.n;
        total.sum += m.sum + m.n * t;
        total.second += m.second + m.sum * t.transpose() + t * m.sum.transpose() + m.n * t * t.transpose();
      }
  return total;
}

/// Scales the eigenvalues so that the middle one is 1/2: the inverse then tells how flat the points lie, and
/// not how far they reach. With d2 = 1/2 no pair comes near d2 e = 1, beyond which pairs are dropped.
bool Windows::make_window(const Moments& sums, const Eigen::Vector3d& centre, Leaf& out) const {
  if (sums.n < min_points_) return false;
  const Eigen::Vector3d mean = sums.sum / sums.n;
  const Eigen::Matrix3d covariance = (sums.second - sums.n * mean * mean.transpose()) / (sums.n - 1);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
  Eigen::Array3d values = solver.eigenvalues().array().max(0.0);
  if (!(values(2) > kLeastVariance)) return false;
  values *= 0.5 / std::max(values(1), kLeastMiddle * values(2));
  values = values.max(eigenvalue_ratio_ * values(2));
  const Eigen::Matrix3d& axes = solver.eigenvectors();
  out.points = static_cast<int>(sums.n);
  out.mean = centre + mean;
  out.inverse_covariance_transposed = axes * values.inverse().matrix().asDiagonal() * axes.transpose();
  return out.inverse_covariance_transposed.allFinite();
}

std::optional<Leaf> Windows::around(const Eigen::Vector3f& point) const {
  Cell own, cell;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float coordinate = std::floor(point(static_cast<Eigen::Index>(axis)) * inverse_edge_);
    if (!(std::abs(coordinate) < 0x1p60F)) return std::nullopt;
    own[axis] = cell[axis] = static_cast<std::int64_t>(coordinate);
  }
  const Eigen::Vector3d centre = layers_.front().centre(own);
  const bool is_empty = !layers_[0].cells.contains(own);
  if (is_empty && !layers_[1].cells.contains({own[0] >> 1, own[1] >> 1, own[2] >> 1})) return std::nullopt;
  for (const Layer& layer : layers_) {
    const Moments sums = sum_about(centre, layer, cell);
    if (is_empty && &layer == &layers_.front() && sums.n >= min_points_) return std::nullopt;
    if (Leaf leaf; make_window(sums, centre, leaf)) return leaf;
    for (std::int64_t& c : cell) c >>= 1;
  }
  return std::nullopt;
}

}  // namespace ndt::cpu_pclomp_ref
