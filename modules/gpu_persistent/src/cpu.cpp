// persistent_cpu: the persistent body on a pool of CPU threads.
#include "aligners.hpp"
#include "ndt/edge/conditioning.hpp"
#include "ndt/edge/host_aligner.hpp"
#include "ndt/score/scan_points_simd.hpp"
#include "persistent_align.hpp"

namespace ndt::gpu_persistent {
namespace {

class CpuAligner final : public HostAligner {
 public:
  explicit CpuAligner(const AlignOptions& options) : HostAligner(options) {}

 private:
  void submit_runs(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                   std::span<LoopRun> runs) override {
    const AlignInput input{scan.view(), view(), gauss(), options};
    const HostWatch watch{per_scan};
    const auto trace_lines = static_cast<std::size_t>(per_scan.trace ? options.max_iterations + 1 : 0);
    for (LoopRun& one : runs) one.trace.resize(trace_lines);
    pool().for_each(runs.size(), [&](auto& team, std::size_t k) {
      LoopRun& one = runs[k];
      LoopState state = begin_loop(one.local_guess);
      persistent_align(team, input, watch, state, one.trace.empty() ? nullptr : one.trace.data());
      team.once([&] {
        one.outcome = outcome_of(state);
        conclude(scan, options, one);
      });
    });
  }

  /// Concludes on one thread, because the surfaces of an alignment are few.
  void conclude(const LoopScan& scan, const LoopOptions& options, LoopRun& one) {
    // Surfaces tell how far an ending can be trusted, and a mere evaluation (no iterations) has no ending.
    if (options.max_iterations > 0 && surfaces_matter(one.outcome.status))
      set_surfaces(surface_information(map(), scan.view(), one.outcome.pose, scan.facts.mean_range_m),
                   one.outcome);
    if (!one.trace.empty()) one.trace.resize(static_cast<std::size_t>(one.outcome.iterations) + 1);
  }
};

}  // namespace

std::unique_ptr<Aligner> make_cpu_aligner(const AlignOptions& options) {
  return std::make_unique<CpuAligner>(options);
}

}  // namespace ndt::gpu_persistent
