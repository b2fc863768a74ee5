// Poses, points and the arrays of the staged steps in host memory, and the fixture that runs steps on them.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "host_backend.hpp"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/voxel/voxel_map.hpp"
#include "staged_aligner.hpp"
#include "step_machine.hpp"
#include "test_clouds.hpp"

namespace ndt::gpu_multikernel {

/// A backend's memory without the backend.
struct HostMemory {
  template <class T>
  using Array = HostArray<T>;
  template <class T>
  Array<T> array() {
    return {};
  }
};

/// A frame of the courtyard with arrays of its own.
class StagedFrame {
 public:
  StagedFrame(std::vector<Transform> guesses, int points, const LoopOptions& options = {},
              const VoxelMapView& map = {}, bool trace = false)
      : guesses_(std::move(guesses)) {
    const int trials = options.line_search == LineSearch::batched ? StepSearch::kBatchedTrials : 1;
    args.a = buffers_.reserve(points, static_cast<int>(guesses_.size()), trials,
                              trace ? options.max_iterations + 1 : 0);
    std::iota(args.a.list, args.a.list + args.a.poses, 0);
    args.a.scan = test_clouds::scan().points.data();
    args.a.guesses = guesses_.data();
    args.levels[0].view = map;
    const Gauss<double> gauss = make_gauss(0.55, 2.0);
    args.levels[0].gauss = {static_cast<float>(gauss.d1), static_cast<float>(gauss.d2)};
    args.options = options;
  }
  StagedFrame(const std::vector<Pose>& poses, int points, const LoopOptions& options = {},
              const VoxelMapView& map = {}, bool trace = false)
      : StagedFrame(transforms(poses), points, options, map, trace) {}

  PoseState& state(int k) { return args.a.states[k]; }
  float component(const float* array, int k, int components, int component, int point) const {
    return array[args.a.at(k, components, component, point)];
  }

  StepArguments args;

 private:
  static std::vector<Transform> transforms(const std::vector<Pose>& poses) {
    std::vector<Transform> out;
    for (const Pose& pose : poses) out.push_back(to_transform(pose));
    return out;
  }

  std::vector<Transform> guesses_;
  HostMemory memory_;
  StagedBuffers<HostMemory> buffers_{memory_};
};

class StagedSteps : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = no_step_machine_reason(); !reason.empty()) GTEST_SKIP() << reason;
    machine = make_step_machine();
  }
  void run(const StagedFrame& frame, std::initializer_list<Step> steps) {
    for (const Step step : steps) machine->run(frame.args, step);
  }
  /// Steps 1 and 2 at poses that are no guesses any more.
  void move_to_poses(StagedFrame& frame) {
    for (int k = 0; k < frame.args.a.poses; ++k) frame.state(k).loop.evaluations = 1;
    run(frame, {Step::sin_cos, Step::transform});
  }
  /// Steps 3 to 8.
  void evaluate(StagedFrame& frame) {
    run(frame, {Step::jacobian, Step::point_hessian, Step::transform_points, Step::neighbours,
                Step::score_gradient_hessian, Step::sum});
  }

  std::unique_ptr<StepMachine> machine;
};

inline const VoxelMap& courtyard() {
  static const VoxelMap map(test_clouds::map(), {});
  return map;
}

inline Pose nudged(Pose p, int axis, double by) {
  double* const value[6] = {&p.x, &p.y, &p.z, &p.roll, &p.pitch, &p.yaw};
  *value[axis] += by;
  return p;
}

}  // namespace ndt::gpu_multikernel
