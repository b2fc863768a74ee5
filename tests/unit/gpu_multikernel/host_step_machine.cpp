// The steps as multikernel_cpu runs them.
#include "host_backend.hpp"
#include "run_step.hpp"

namespace ndt::gpu_multikernel {
namespace {

class HostStepMachine final : public StepMachine {
 public:
  void run(const StepArguments& args, Step step) override { run_step(backend_, args, step); }
  void sum_segments(const float* values, int segments, int length, double* sums) override {
    backend_.sum_segments(values, segments, length, sums);
  }
  bool contracts() const override { return false; }

 private:
  HostPool pool_{2};
  HostBackend backend_{pool_};
};

}  // namespace

std::string no_step_machine_reason() { return {}; }
std::unique_ptr<StepMachine> make_step_machine() { return std::make_unique<HostStepMachine>(); }

}  // namespace ndt::gpu_multikernel
