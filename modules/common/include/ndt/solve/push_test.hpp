// Whether the scores of a scan hold a pose: pushed both ways along the directions that the matched surfaces
// hold least, the pose must lose score. A direction that nothing holds loses none, however much information
// the noise of the surfaces' normals seems to hold about it.
#pragma once

#include "ndt/core/pose.hpp"
#include "ndt/core/simd.hpp"
#include "ndt/score/level_map.hpp"
#include "ndt/score/scan_point.hpp"
#include "ndt/score/surface_information.hpp"
#include "ndt/solve/newton.hpp"

namespace ndt {

/// Most scan points whose scores are compared, every k-th.
inline constexpr int kPushedPoints = 512;
NDT_HD inline int pushed_points(int scan_points) { return surface_points(scan_points, kPushedPoints); }
/// Two directions, because noise may hold the free one more than another that is held, though weakly.
inline constexpr int kWeakDirections = 2;
inline constexpr int kPushes = 2 * kWeakDirections;
/// Length of a push over the voxel edge: long enough to leave the peak of a score, short enough to stay by
/// the same surfaces.
inline constexpr double kPushPerEdge = 0.75;

/// Error of a mean score over the score, which more points do not average out: voxels are a coarse picture of
/// surfaces. A round tank turned about its axis by 3/4 of an edge of 2 m loses up to 6 % of its score, and 9
/// % with covariances that start from zero. On finer voxels the identity makes all distributions thick, and
/// pushes that matter cost as little.
NDT_HD constexpr double score_error(CovarianceStart start, double edge_m) {
  if (start == CovarianceStart::zero) return 0.025;
  return edge_m < 2 ? 0.0125 * (edge_m / 2) * (edge_m / 2) : 0.0125;
}

/// Working space of a block, or of a worker. All of its crew see it.
struct PushScratch {
  Mat6 inverse[2], powers[2];
  Vec6 image;
  Vec6 weak[kWeakDirections];   ///< unit vectors in the information's coordinates, weakest first
  Motion motions[1 + kPushes];  ///< of the pose, then pushed
};

namespace detail {

/// Runs f(row, col) for the upper triangle of a symmetric matrix. A crew shares it out: 21 entries are one
/// round of a warp, 36 would be two.
template <class Crew, class F>
NDT_HD inline void each_of_triangle(const Crew& crew, F&& f) {
  crew.each(21, [&](int entry) {
    const int row = (entry >= 6) + (entry >= 11) + (entry >= 15) + (entry >= 18) + (entry >= 20);
    f(row, entry - row * (11 - row) / 2);
  });
}
NDT_HD inline void set_both(Mat6& matrix, int row, int col, double value) {
  matrix(row, col) = matrix(col, row) = value;
}

/// Writes the negative inverse of matrices[0] in its place. It is positive definite, so no pivot has to be
/// looked for. The results of the steps, which keep the matrix symmetric, take turns in the two matrices.
/// [Goodnight 1979, the SWEEP operator]
template <class Crew>
NDT_HD inline void invert(const Crew& crew, Mat6 (&matrices)[2]) {
  NDT_ROLLED
  for (int k = 0; k < 6; ++k) {
    const Mat6& from = matrices[k % 2];
    Mat6& to = matrices[(k + 1) % 2];
    const double inverse = reciprocal(from(k, k));
    each_of_triangle(crew, [&](int row, int col) {
      const bool in_row = row == k, in_col = col == k;
      const double scaled = in_row ? from(k, col) * inverse : from(row, k) * inverse;
      set_both(to, row, col,
               in_row && in_col   ? -inverse
               : in_row || in_col ? scaled
                                  : from(row, col) - scaled * from(k, col));
    });
  }
}

NDT_HD inline double trace(const Mat6& matrix) {
  double sum = 0;
  NDT_UNROLL
  for (int i = 0; i < 6; ++i) sum += matrix(i, i);
  return sum;
}

/// Four make the 16th power, in which the next eigenvector has 3 % of the largest one's share if their
/// eigenvalues are as 4 to 5.
inline constexpr int kSquarings = 4;

/// Squares a positive semidefinite matrix again and again, because a high power is nearly a multiple of v vᵀ
/// with v of the largest eigenvalue. A crew shares out a square, and a device's code for it is short. The
/// first square is of the matrix over its trace: the largest eigenvalue is then from 1/6 to 1, and no power
/// leaves the range of doubles. Writes v, of length 1.
template <class Crew>
NDT_HD inline void find_largest_axis(const Crew& crew, const Mat6& matrix, Mat6 (&powers)[2], Vec6& v) {
  const double inverse_trace = reciprocal(trace(matrix));
  double scale = inverse_trace * inverse_trace;
  NDT_ROLLED
  for (int k = 0; k < kSquarings; ++k, scale = 1) {
    const Mat6& from = k == 0 ? matrix : powers[(k + 1) % 2];
    each_of_triangle(crew, [&](int row, int col) {
      double even = 0, odd = 0;
      NDT_UNROLL
      for (int i = 0; i < 6; i += 2) {
        even += from(row, i) * from(i, col);
        odd += from(row, i + 1) * from(i + 1, col);
      }
      set_both(powers[k % 2], row, col, scale * (even + odd));
    });
  }
  const Mat6& last = powers[(kSquarings + 1) % 2];
  int longest = 0;
  double largest = last(0, 0);
  NDT_UNROLL
  for (int col = 1; col < 6; ++col) {
    const double square = last(col, col);
    if (square > largest) largest = square, longest = col;
  }
  double square = 0;
  NDT_UNROLL
  for (int row = 0; row < 6; ++row) square += last(row, longest) * last(row, longest);
  const double per_length = reciprocal_sqrt(square);
  crew.each(6, [&](int row) { v[row] = per_length * last(row, longest); });
}

/// Takes the part along the unit vector v out of a symmetric matrix: P A P with P = I - v vᵀ. `image` takes A
/// v.
template <class Crew>
NDT_HD inline void leave_out(const Crew& crew, const Vec6& v, Vec6& image, Mat6& matrix) {
  crew.each(6, [&](int row) {
    double sum = 0;
    NDT_UNROLL
    for (int i = 0; i < 6; ++i) sum += matrix(row, i) * v[i];
    image[row] = sum;
  });
  const double along = dot(v, image);
  each_of_triangle(crew, [&](int row, int col) {
    set_both(matrix, row, col,
             matrix(row, col) - v[row] * image[col] - image[row] * v[col] + along * v[row] * v[col]);
  });
}

}  // namespace detail

/// Finds the weakest directions of an information matrix, the largest of its inverse; writes scratch.weak.
template <class Crew>
NDT_HD inline void find_weak_directions(const Crew& crew, const SurfaceInformation& information,
                                        PushScratch& scratch) {
  double trace = 0;
  int diagonal = 0;
  NDT_UNROLL
  for (int row = 0; row < 6; diagonal += 6 - row++) trace += information.entries[diagonal];
  // The shift keeps a free direction's eigenvalue above the rounding of float32 sums.
  const double shift = trace > 0 ? 1e-6 * trace : 1;
  Mat6& inverse = scratch.inverse[0];
  detail::each_of_triangle(crew, [&](int row, int col) {
    detail::set_both(inverse, row, col,
                     information.entries[row * (11 - row) / 2 + col] + (row == col ? shift : 0));
  });
  // The sign of the inverse cancels in its square.
  detail::invert(crew, scratch.inverse);
  NDT_ROLLED
  for (int k = 0; k < kWeakDirections; ++k) {
    if (k > 0) detail::leave_out(crew, scratch.weak[k - 1], scratch.image, inverse);
    detail::find_largest_axis(crew, inverse, scratch.powers, scratch.weak[k]);
  }
}

/// exp([w]×) of a turn by |w| radians about w. [Rodrigues]
NDT_HD inline Mat3<double> turn_about(const Vec3<double>& w) {
  const double square = dot(w, w);
  double a = 1, b = 0.5;  // of a turn so small that they are its series' first terms
  if (square > 1e-8) {
    const double inverse = reciprocal_sqrt(square);
    double sine, cosine;
    sin_cos(square * inverse, sine, cosine);
    a = sine * inverse, b = (1 - cosine) * inverse * inverse;
  }
  const Mat3<double> cross{{0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0}}, twice = cross * cross;
  Mat3<double> out;
  NDT_UNROLL
  for (int i = 0; i < 9; ++i) out.m[i] = (i % 4 == 0 ? 1 : 0) + a * cross.m[i] + b * twice.m[i];
  return out;
}

/// The motion of the pose pushed by `push_m` along a direction of the surfaces' information.
NDT_HD inline Motion pushed(const SurfacePose& at, const Vec6& direction, double push_m) {
  const Vec3<double> shift{push_m * direction[0], push_m * direction[1], push_m * direction[2]};
  const double turn = push_m * at.per_metre;
  const Mat3<double> rotation =
      turn_about({turn * direction[3], turn * direction[4], turn * direction[5]}) * at.rotation;
  return {cast<float>(rotation), cast<float>(at.translation + shift), {}};
}

/// Fills in the motions of the scratch.
template <class Crew>
NDT_HD inline void prepare_pushes(const Crew& crew, const SurfaceInformation& information,
                                  const SurfacePose& at, double push_m, PushScratch& scratch) {
  find_weak_directions(crew, information, scratch);
  crew.each(1 + kPushes, [&](int i) {
    const double signed_push = i == 0 ? 0 : i % 2 == 0 ? push_m : -push_m;
    scratch.motions[i] = pushed(at, scratch.weak[i < 3 ? 0 : 1], signed_push);
  });
}

/// Sums over points of the score that a push costs, of its square, and of the score itself.
template <class Real>
struct PushSums {
  static constexpr int kReals = 2 * kPushes + 1, kCounts = 0;
  Real cost[kPushes] = {}, squared[kPushes] = {}, held{};
};

template <class Real>
NDT_HD inline void add_folded(PushSums<double>& total, const PushSums<Real>& part) {
  for (int k = 0; k < kPushes; ++k)
    total.cost[k] += folded(part.cost[k]), total.squared[k] += folded(part.squared[k]);
  total.held += folded(part.held);
}
NDT_HD inline void to_columns(const PushSums<float>& s, float (&out)[PushSums<float>::kReals]) {
  for (int k = 0; k < kPushes; ++k) out[k] = s.cost[k], out[kPushes + k] = s.squared[k];
  out[2 * kPushes] = s.held;
}
NDT_HD inline void set_column(PushSums<double>& s, int column, double value) {
  (column < kPushes ? s.cost[column] : column < 2 * kPushes ? s.squared[column - kPushes] : s.held) = value;
}

/// Largest pair score of a point at a motion. The lanes share its near voxels, and all lanes call this.
template <class Lanes>
NDT_HD inline float pushed_score(const LevelMap& map, const Motion& motion, const Vec3<float>& x, bool there,
                                 const Lanes& lanes) {
  PointSums<float> point;
  if (there) add_neighbours(map.view, map.gauss, move_point(motion, x), lanes, point);
  return lanes.max(point.largest);
}

/// Adds one scan point.
NDT_HD inline void add_pushed_point(const LevelMap& map, const Motion (&motions)[1 + kPushes],
                                    const Vec3<float>& x, PushSums<float>& sums) {
  const float held = pushed_score(map, motions[0], x, true, SingleLane{});
  sums.held += held;
  for (int k = 0; k < kPushes; ++k) {
    const float cost = held - pushed_score(map, motions[1 + k], x, true, SingleLane{});
    sums.cost[k] += cost, sums.squared[k] += cost * cost;
  }
}

/// Adds one push of one scan point, if it is there. Half of the lanes take the score of the pose and half
/// that of the push. This is faster than one after the other, or all pushes of a point in sequence. A
/// device's threads wait for memory most of the time.
template <class Lanes>
NDT_HD inline void add_push(const LevelMap& map, const Motion (&motions)[1 + kPushes], const Vec3<float>& x,
                            int push, bool there, const Lanes& lanes, PushSums<float>& sums) {
  const Motion& motion = motions[lanes.half() == 0 ? 0 : 1 + push];
  const float held = pushed_score(map, motion, x, there, typename Lanes::Half{}),
              cost = held - lanes.other(held);  // of use to the first lane only
  if (!there || lanes.rank() != 0) return;
  sums.held += push == 0 ? held : 0;
  NDT_UNROLL
  for (int k = 0; k < kPushes; ++k)
    sums.cost[k] += k == push ? cost : 0, sums.squared[k] += k == push ? cost * cost : 0;
}

/// How much the cheapest push costs, in standard errors of the points' mean cost; 0 if it costs nothing.
/// Each of them is made of the points' own and of score_error().
NDT_HD inline float push_sigmas(const PushSums<double>& sums, int scan_points, double score_error) {
  const double share = 1.0 / pushed_points(scan_points);
  const double error = score_error * sums.held * share;
  float least = INFINITY;
  NDT_UNROLL
  for (int k = 0; k < kPushes; ++k) {
    const double mean = sums.cost[k] * share, square = mean * mean,
                 variance = std::fmax(sums.squared[k] * share - square, 1e-9 * square);
    const double sigmas = mean > 0 ? mean * reciprocal_sqrt(variance * share + error * error) : 0;
    least = std::fmin(least, static_cast<float>(sigmas));
  }
  return least;
}

}  // namespace ndt
