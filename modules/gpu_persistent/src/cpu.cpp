// persistent_cpu: the persistent body on a pool of CPU threads.
#include "aligners.hpp"
#include "ndt/edge/conditioning.hpp"
#include "ndt/edge/host_aligner.hpp"
#include "ndt/edge/host_ending.hpp"
#include "persistent_align.hpp"

namespace ndt::gpu_persistent {
namespace {

class CpuAligner final : public HostAligner {
 public:
  explicit CpuAligner(const AlignOptions& options) : HostAligner(options) {}

 private:
  void submit_runs(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                   std::span<LoopRun> runs) override {
    this->options().step_control == StepControl::trust_region
        ? run<TrustRegion>(scan, options, per_scan, runs)
        : run<ClampedSteps>(scan, options, per_scan, runs);
  }

  template <class Steps>
  void run(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
           std::span<LoopRun> runs) {
    AlignInput input{scan.view(), options, {}, this->options().coarse_stride};
    for_each_level([&](std::size_t l, const LevelMap& map) { input.levels[l] = map; });
    const HostWatch watch{per_scan};
    const auto trace_lines = static_cast<std::size_t>(per_scan.trace ? options.max_iterations + 1 : 0);
    for (LoopRun& one : runs) one.trace.resize(trace_lines);
    pool().for_each(runs.size(), [&](auto& team, std::size_t k) {
      LoopRun& one = runs[k];
      LoopState state;
      Steps::begin(loop_start(one.local_guess), options, state);
      choose_level(Steps{}, scan, options, state);
      persistent_align<Steps>(team, input, watch, state, one.trace.empty() ? nullptr : one.trace.data());
      const LoopOutcome outcome = concluded(team, input.scan, last_level(), options, state);
      team.once([&] {
        one.outcome = outcome;
        if (!one.trace.empty()) one.trace.resize(static_cast<std::size_t>(outcome.iterations) + 1);
      });
    });
  }

  void choose_level(ClampedSteps, const LoopScan&, const LoopOptions&, LoopState&) const {}
  void choose_level(TrustRegion, const LoopScan& scan, const LoopOptions& options, LoopState& state) const {
    int level = state.region.level;
    const auto fixes = [&] {
      return fixes_the_pose(surface_information(map(static_cast<std::size_t>(level)), scan.view(),
                                                shifted(state.trial, options.region.levels[level].shift),
                                                scan.facts.mean_range_m, kFewSurfacePoints));
    };
    while (level < options.region.last && !fixes()) ++level;
    TrustRegion::begin_on(level, options, state);
  }
};

}  // namespace

std::unique_ptr<Aligner> make_cpu_aligner(const AlignOptions& options) {
  return std::make_unique<CpuAligner>(options);
}

}  // namespace ndt::gpu_persistent
