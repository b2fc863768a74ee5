// The data that the staged steps share: a state per pose, and per pose and point the arrays that one step
// writes and the next reads. All arrays except those of Points hold one component after the other, so that
// neighbouring threads touch neighbouring words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ndt/core/point_cloud.hpp"
#include "ndt/score/level_map.hpp"
#include "ndt/solve/loop_outcome.hpp"
#include "ndt/solve/newton_loop.hpp"

namespace ndt::gpu_multikernel {

/// Near voxels that a point's list keeps. The 27 cells around a point hold every centroid within one
/// resolution. Rounding may move a centroid over a cell's edge; a point with more near voxels for that reason
/// walks the map again, and loses none.
inline constexpr int kListedNeighbours = 27;

inline constexpr int kJacobianEntries = 18;      ///< 3x6, row-major
inline constexpr int kPointHessianEntries = 18;  ///< ∂²p of 6 angle pairs (rr rp ry pp py yy), 3 each

/// Components that step 7 writes for a point and step 8 sums.
enum Term { kScore, kNearest, kPairs, kMatched, kGradient, kHessian = kGradient + 6, kTerms = kHessian + 21 };
/// Components that step 12 writes for a point at a trial pose: φ needs the score, φ' the slope,
/// regularisation the pairs.
enum TrialTerm { kTrialScore, kTrialSlope, kTrialPairs, kTrialTerms };

/// One step length of a line search, and the pose it leads to.
struct Trial {
  double alpha = 0;
  Pose pose;
  Motion motion;
  Mat3<float> turn;   ///< derivative of R along the direction
  Vec3<float> shift;  ///< derivative of t along the direction
};

struct PoseState {
  LoopState loop;
  SinCos moved, snapped;   ///< the pose's angles, exact and as derivatives take them
  Mat3<float> first[3];    ///< ∂R/∂roll, pitch, yaw
  Mat3<float> second[6];   ///< ∂²R of the angle pairs
  NewtonDirection newton;  ///< result of the last solve
  double alpha = 0;        ///< step length that the search chose
  bool searching = false;  ///< a line search is under way
  PushScratch pushes;      ///< of the ending
};

/// Pointers into the arrays, for `poses` poses, `points` points and `trials` trial poses each. A pose whose
/// loop ends leaves the list, and the steps of the loop cover the listed ones. States, guesses, traces and
/// outcomes hold a pose at its place in the batch; all other arrays hold it at its place in the list, because
/// nothing in them outlives an iteration.
struct StagedArrays {
  int points = 0, poses = 0, listed = 0, trials = 1, trace_lines = 0;
  const Point* scan = nullptr;          // [points]
  const Transform* guesses = nullptr;   // [poses], map-local
  PoseState* states = nullptr;          // [poses]
  float* jacobians = nullptr;           // [poses][18][points]
  float* point_hessians = nullptr;      // [poses][18][points]
  float* moved = nullptr;               // [poses][3][points]: transformed points
  std::uint32_t* neighbours = nullptr;  // [poses][27][points]
  int* neighbour_counts = nullptr;      // [poses][points]
  float* terms = nullptr;               // [poses][kTerms][points]
  double* sums = nullptr;               // [poses][kTerms]
  double* matrices = nullptr;           // [poses][36], -H, column-major; Cholesky factors after the solve
  double* vectors = nullptr;            // [poses][6], g; δ after the solve
  int* factorised = nullptr;            // [poses], 0 if -H was positive definite
  Trial* trial = nullptr;               // [poses][trials]
  float* trial_points = nullptr;        // [poses][trials][3][points]
  float* trial_terms = nullptr;         // [poses][trials][kTrialTerms][points]
  double* trial_sums = nullptr;         // [poses][trials][kTrialTerms]
  LoopTrace* trace = nullptr;           // [poses][trace_lines], max_iterations + 1, null unless asked for
  LoopOutcome* outcomes = nullptr;      // [poses]
  int* list = nullptr;                  // [poses]: places in the batch, in their order
  std::uint32_t* running = nullptr;     // [1]: how many are listed, the flag of an iteration

  NDT_HD std::size_t at(int pose, int components, int component, int point) const {
    return (static_cast<std::size_t>(pose) * static_cast<std::size_t>(components) +
            static_cast<std::size_t>(component)) *
               static_cast<std::size_t>(points) +
           static_cast<std::size_t>(point);
  }
};

/// The argument of every step, passed by value. The functions take a pose's place in the list.
struct StepArguments {
  StagedArrays a;
  LevelMap levels[kMostMaps];  ///< coarse to fine, and the windows
  LoopOptions options;
  int coarse_stride = 1;  ///< every n-th point is used on all levels but the last

  /// Place in the batch. While all are listed, as in an alignment alone, no step waits for a load of the list.
  NDT_HD int in_batch(int pose) const { return a.listed == a.poses ? pose : a.list[pose]; }
  NDT_HD PoseState& state(int pose) const { return a.states[in_batch(pose)]; }
  NDT_HD int level(int pose) const { return state(pose).loop.region.level; }
  /// The map on which the pose's next sums are taken, and the last map.
  NDT_HD const LevelMap& map(int pose) const { return levels[level(pose)]; }
  NDT_HD const LevelMap& last_map() const { return levels[options.region.last]; }
  NDT_HD bool uses(int pose, int point) const {
    return level(pose) >= options.region.last || point % coarse_stride == 0;
  }
  NDT_HD bool running(int pose) const { return state(pose).loop.status == LoopStatus::running; }
};

}  // namespace ndt::gpu_multikernel
