// Steps 1 to 7: from the poses to score, gradient and Hessian of every point, each stage written out as an
// array. [Magnusson 2009, eq. 6.12, 6.13, 6.18-6.21] The form is the textbook's, with Jacobians and point
// Hessians. This is on purpose: it shares no derivative with score/derivatives.hpp, so each checks the other.
#pragma once

#include <cmath>

#include "ndt/solve/trust_region.hpp"
#include "staged_state.hpp"

namespace ndt::gpu_multikernel {

/// Order 0, 1 or 2 of the derivative of a rotation about an axis (0: x, 1: y, 2: z) by its angle.
NDT_HD inline Mat3<double> axis_rotation(int axis, double sine, double cosine, int order) {
  const double c = order == 0 ? cosine : order == 1 ? -sine : -cosine;
  const double s = order == 0 ? sine : order == 1 ? cosine : -sine;
  const double one = order == 0 ? 1 : 0;
  if (axis == 0) return {{one, 0, 0, 0, c, -s, 0, s, c}};
  if (axis == 1) return {{c, 0, s, 0, one, 0, -s, 0, c}};
  return {{c, -s, 0, s, c, 0, 0, 0, one}};
}

/// R = Rx Ry Rz, differentiated `roll`, `pitch` and `yaw` times.
NDT_HD inline Mat3<double> rotation_derivative(const SinCos& a, int roll, int pitch, int yaw) {
  return axis_rotation(0, a.sine[0], a.cosine[0], roll) * axis_rotation(1, a.sine[1], a.cosine[1], pitch) *
         axis_rotation(2, a.sine[2], a.cosine[2], yaw);
}

constexpr int kPitchPitch = 3;  // of the six angle pairs

/// Step 1. One worker a pose.
struct SinCosStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    PoseState& state = args.state(k);
    state.moved = sin_cos_of(state.loop.trial);
    state.snapped = snapped(state.moved, state.loop.trial);
  }
};

/// Step 2: the motion of the points, and the derivatives of R that steps 3 and 4 multiply points with. One
/// worker a pose. The first evaluation uses the guess's own matrix, as the reference does.
struct TransformStep {
  StepArguments args;
  NDT_BODY void operator()(int k) const {
    PoseState& state = args.state(k);
    const Pose& pose = state.loop.trial;
    if (state.loop.evaluations > 0) {
      state.loop.at.motion.rotation = cast<float>(rotation_derivative(state.moved, 0, 0, 0));
      const Pose there = shifted(pose, args.options.region.levels[args.level(k)].shift);
      state.loop.at.motion.translation = cast<float>(Vec3<double>{there.x, there.y, there.z});
    }
    for (int i = 0; i < 3; ++i)
      state.first[i] = cast<float>(rotation_derivative(state.snapped, i == 0, i == 1, i == 2));
    int pair = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j)
        state.second[pair++] = cast<float>(rotation_derivative(state.snapped, (i == 0) + (j == 0),
                                                               (i == 1) + (j == 1), (i == 2) + (j == 2)));
    if (args.options.hessian == HessianForm::autoware_1_9) {
      float& x_of_z = state.second[kPitchPitch](0, 2);
      x_of_z = -x_of_z;
    }
  }
};

/// Step 3: ∂p/∂(x, y, z, roll, pitch, yaw) of every point. One worker a pose and point, as in steps 4 to 7.
struct JacobianStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int k = index / args.a.points, i = index % args.a.points;
    const PoseState& state = args.state(k);
    const Vec3<float> x = args.a.scan[i];
    for (int col = 0; col < 6; ++col) {
      const Vec3<float> column =
          col < 3 ? Vec3<float>{col == 0 ? 1.0F : 0.0F, col == 1 ? 1.0F : 0.0F, col == 2 ? 1.0F : 0.0F}
                  : state.first[col - 3] * x;
      args.a.jacobians[args.a.at(k, kJacobianEntries, col, i)] = column.x;
      args.a.jacobians[args.a.at(k, kJacobianEntries, 6 + col, i)] = column.y;
      args.a.jacobians[args.a.at(k, kJacobianEntries, 12 + col, i)] = column.z;
    }
  }
};

/// Step 4: ∂²p of the six angle pairs; all others are zero.
struct PointHessianStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int k = index / args.a.points, i = index % args.a.points;
    const PoseState& state = args.state(k);
    const Vec3<float> x = args.a.scan[i];
    for (int pair = 0; pair < 6; ++pair) {
      const Vec3<float> entry = state.second[pair] * x;
      args.a.point_hessians[args.a.at(k, kPointHessianEntries, 3 * pair, i)] = entry.x;
      args.a.point_hessians[args.a.at(k, kPointHessianEntries, 3 * pair + 1, i)] = entry.y;
      args.a.point_hessians[args.a.at(k, kPointHessianEntries, 3 * pair + 2, i)] = entry.z;
    }
  }
};

/// Step 5: the points moved into the map.
struct TransformPointsStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int k = index / args.a.points, i = index % args.a.points;
    const Vec3<float> p = move_point(args.state(k).loop.at.motion, args.a.scan[i]);
    args.a.moved[args.a.at(k, 3, 0, i)] = p.x;
    args.a.moved[args.a.at(k, 3, 1, i)] = p.y;
    args.a.moved[args.a.at(k, 3, 2, i)] = p.z;
  }
};

NDT_HD inline Vec3<float> moved_point(const StagedArrays& a, int k, int i) {
  return {a.moved[a.at(k, 3, 0, i)], a.moved[a.at(k, 3, 1, i)], a.moved[a.at(k, 3, 2, i)]};
}

/// Calls f(voxel) in list order for every voxel whose centroid is strictly nearer than the radius.
template <class F>
NDT_HD inline void for_each_near(const VoxelMapView& map, const Vec3<float>& p, F&& f) {
  const NearVoxels range = map.near_voxels(p);
  for (int c = 0; c < range.count; ++c)
    if (squared_length(p - range.first[c].centroid) < map.squared_radius) f(range.first[c].voxel);
}

/// Step 6: the list of every point's near voxels. The count may exceed the list's length.
struct NeighbourStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int k = index / args.a.points, i = index % args.a.points;
    int count = 0;
    for_each_near(args.map(k).view, moved_point(args.a, k, i), [&](std::uint32_t voxel) {
      if (count < kListedNeighbours) args.a.neighbours[args.a.at(k, kListedNeighbours, count, i)] = voxel;
      ++count;
    });
    args.a.neighbour_counts[args.a.at(k, 1, 0, i)] = count;
  }
};

/// The sums that step 7 collects for one point.
struct PointTerms {
  float score = 0, nearest = 0, gradient[6] = {}, hessian[21] = {};
};

/// Adds one pair with the point's Jacobian and point Hessian. [Magnusson 2009, eq. 6.12, 6.13]
/// curvature_share: share of the terms that can make the Hessian indefinite; 1 gives the true one.
NDT_HD inline void add_staged_pair(const Gauss<float>& gauss, const Vec3<float>& p, const Voxel& voxel,
                                   const Vec3<float> (&jacobian)[6], const Vec3<float> (&second)[6],
                                   float curvature_share, PointTerms& out) {
  const Vec3<float> q = (p - voxel.centroid) - voxel.mean_offset;
  const Vec3<float> u = voxel.inverse_covariance * q;
  const float score = -gauss.d1 * pair_exponential(gauss, q, u, true);
  const float weight = -gauss.d2 * score;
  out.score += score;
  out.nearest = score > out.nearest ? score : out.nearest;
  float slope[6];
  for (int i = 0; i < 6; ++i) {
    slope[i] = dot(u, jacobian[i]);
    out.gradient[i] += weight * slope[i];
  }
  int entry = 0, pair = 0;
  for (int i = 0; i < 6; ++i) {
    const Vec3<float> cj = voxel.inverse_covariance * jacobian[i];
    for (int j = i; j < 6; ++j) {
      const float bend = i >= 3 ? dot(u, second[pair++]) : 0.0F;
      const float negative = gauss.d2 * slope[i] * slope[j] - bend;
      out.hessian[entry++] += weight * (dot(cj, jacobian[j]) - curvature_share * negative);
    }
  }
}

/// Step 7: score, gradient and Hessian of every point; zero once the pose's loop has ended.
struct ScoreGradientHessianStep {
  StepArguments args;
  NDT_BODY void operator()(int index) const {
    const int k = index / args.a.points, i = index % args.a.points;
    const bool used = args.running(k) && args.uses(k, i);
    const int count = used ? args.a.neighbour_counts[args.a.at(k, 1, 0, i)] : 0;
    PointTerms out;
    if (count > 0) add_pairs(k, i, count, out);
    const auto put = [&](int term, float value) { args.a.terms[args.a.at(k, kTerms, term, i)] = value; };
    put(kScore, out.score);
    put(kNearest, out.nearest);
    put(kPairs, static_cast<float>(count));
    put(kMatched, count > 0 ? 1.0F : 0.0F);
    for (int j = 0; j < 6; ++j) put(kGradient + j, out.gradient[j]);
    for (int j = 0; j < 21; ++j) put(kHessian + j, out.hessian[j]);
  }

 private:
  NDT_BODY void add_pairs(int k, int i, int count, PointTerms& out) const {
    Vec3<float> jacobian[6], second[6];
    const auto component = [&](const float* array, int entry) { return array[args.a.at(k, 18, entry, i)]; };
    for (int c = 0; c < 6; ++c) {
      jacobian[c] = {component(args.a.jacobians, c), component(args.a.jacobians, 6 + c),
                     component(args.a.jacobians, 12 + c)};
      second[c] = {component(args.a.point_hessians, 3 * c), component(args.a.point_hessians, 3 * c + 1),
                   component(args.a.point_hessians, 3 * c + 2)};
    }
    const Vec3<float> p = moved_point(args.a, k, i);
    const LevelMap& map = args.map(k);
    const auto share = static_cast<float>(args.state(k).loop.region.curvature_share);
    const auto add = [&](std::uint32_t voxel) {
      add_staged_pair(map.gauss, p, map.view.voxels[voxel], jacobian, second, share, out);
    };
    if (count > kListedNeighbours) {
      for_each_near(map.view, p, add);
      return;
    }
    for (int n = 0; n < count; ++n) add(args.a.neighbours[args.a.at(k, kListedNeighbours, n, i)]);
  }
};
static_assert(kJacobianEntries == 18 && kPointHessianEntries == 18);

}  // namespace ndt::gpu_multikernel
