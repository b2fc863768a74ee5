// The steps as multikernel_cuda runs them, on copies of a frame's arrays that travel to the device and back.
#include "cuda_backend.cuh"
#include "ndt/cuda/device.hpp"
#include "run_step.hpp"

namespace ndt::gpu_multikernel {
namespace {

/// Device memory with the contents of host memory.
template <class T>
class Mirror {
 public:
  Mirror(cuda::Context& context, T*& pointer, std::size_t n)
      : context_(context), host_(pointer), size_(pointer == nullptr ? 0 : n), device_(context, size_) {
    context.upload(device_.data(), host_, size_ * sizeof(T));
    pointer = device_.data();
  }
  void fetch() { context_.download(host_, device_.data(), size_ * sizeof(T)); }

 private:
  cuda::Context& context_;
  T* host_;
  std::size_t size_;
  cuda::DeviceBuffer<std::remove_const_t<T>> device_;
};

/// The map of a frame on the device.
class MapMirror {
 public:
  MapMirror(cuda::Context& context, VoxelMapView& map)
      : voxels_(context, map.voxels, static_cast<std::size_t>(map.voxel_count)),
        lists_(context, map.lists, listed_of(map)),
        starts_(context, map.window.starts, static_cast<std::size_t>(map.window.cells()) + 1) {}

 private:
  static std::size_t listed_of(const VoxelMapView& map) {
    return map.lists == nullptr ? 0 : map.window.starts[map.window.cells()] + std::size_t{kNearVoxelPadding};
  }
  Mirror<const Voxel> voxels_;
  Mirror<const NearVoxel> lists_;
  Mirror<const std::uint32_t> starts_;
};

/// Every array of a frame.
class ArrayMirrors {
 public:
  ArrayMirrors(cuda::Context& context, StagedArrays& a, int trace_lines)
      : n_(static_cast<std::size_t>(a.points)),
        k_(static_cast<std::size_t>(a.poses)),
        kc_(k_ * static_cast<std::size_t>(a.trials)),
        scan_(context, a.scan, n_),
        guesses_(context, a.guesses, k_),
        states_(context, a.states, k_),
        jacobians_(context, a.jacobians, k_ * kJacobianEntries * n_),
        point_hessians_(context, a.point_hessians, k_ * kPointHessianEntries * n_),
        moved_(context, a.moved, k_ * 3 * n_),
        neighbours_(context, a.neighbours, k_ * kListedNeighbours * n_),
        neighbour_counts_(context, a.neighbour_counts, k_ * n_),
        terms_(context, a.terms, k_ * kTerms * n_),
        sums_(context, a.sums, k_ * kTerms),
        matrices_(context, a.matrices, k_ * 36),
        vectors_(context, a.vectors, k_ * 6),
        factorised_(context, a.factorised, k_),
        trial_(context, a.trial, kc_),
        trial_points_(context, a.trial_points, kc_ * 3 * n_),
        trial_terms_(context, a.trial_terms, kc_ * kTrialTerms * n_),
        trial_sums_(context, a.trial_sums, kc_ * kTrialTerms),
        trace_(context, a.trace, k_ * static_cast<std::size_t>(trace_lines)),
        outcomes_(context, a.outcomes, k_),
        list_(context, a.list, k_),
        running_(context, a.running, 1) {}

  /// Copies what steps write back to the host.
  void fetch() {
    states_.fetch();
    for (Mirror<float>* m : {&jacobians_, &point_hessians_, &moved_, &terms_, &trial_points_, &trial_terms_})
      m->fetch();
    for (Mirror<double>* m : {&sums_, &matrices_, &vectors_, &trial_sums_}) m->fetch();
    neighbours_.fetch(), neighbour_counts_.fetch(), factorised_.fetch();
    trial_.fetch(), trace_.fetch(), outcomes_.fetch();
    list_.fetch(), running_.fetch();
  }

 private:
  std::size_t n_, k_, kc_;
  Mirror<const Point> scan_;
  Mirror<const Transform> guesses_;
  Mirror<PoseState> states_;
  Mirror<float> jacobians_, point_hessians_, moved_;
  Mirror<std::uint32_t> neighbours_;
  Mirror<int> neighbour_counts_;
  Mirror<float> terms_;
  Mirror<double> sums_, matrices_, vectors_;
  Mirror<int> factorised_;
  Mirror<Trial> trial_;
  Mirror<float> trial_points_, trial_terms_;
  Mirror<double> trial_sums_;
  Mirror<LoopTrace> trace_;
  Mirror<LoopOutcome> outcomes_;
  Mirror<int> list_;
  Mirror<std::uint32_t> running_;
};

class DeviceStepMachine final : public StepMachine {
 public:
  void run(const StepArguments& args, Step step) override {
    StepArguments on_device = args;
    const MapMirror map(context_, on_device.levels[0].view);
    ArrayMirrors arrays(context_, on_device.a, args.options.max_iterations + 1);
    run_step(backend_, on_device, step);
    arrays.fetch();
    context_.synchronise();
  }
  void sum_segments(const float* values, int segments, int length, double* sums) override {
    const auto n = static_cast<std::size_t>(segments);
    Mirror<const float> on_device(context_, values, n * static_cast<std::size_t>(length));
    Mirror<double> out(context_, sums, n);
    backend_.sum_segments(values, segments, length, sums);
    out.fetch();
    context_.synchronise();
  }
  bool contracts() const override { return true; }

 private:
  cuda::Context context_;
  CudaBackend backend_{context_};
};

}  // namespace

std::string no_step_machine_reason() { return cuda_state().unavailable; }
std::unique_ptr<StepMachine> make_step_machine() { return std::make_unique<DeviceStepMachine>(); }

}  // namespace ndt::gpu_multikernel
