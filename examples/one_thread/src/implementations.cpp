#include "ndt/one_thread/implementations.hpp"

#include "ndt/core/finite_points.hpp"
#include "ndt/edge/host_aligner.hpp"
#include "ndt/edge/host_ending.hpp"
#include "ndt/exec/team.hpp"
#include "ndt/score/point_kernels.hpp"
#include "ndt/solve/newton_loop.hpp"

namespace ndt::one_thread {
namespace {

/// HostAligner keeps the map, checks what comes in and writes results; what is left is the schedule.
class OneThreadAligner final : public HostAligner {
 public:
  explicit OneThreadAligner(const AlignOptions& options) : HostAligner(options) {
    if (options.step_control == StepControl::trust_region)
      throw std::invalid_argument("option step-control = trust_region: this example has clamped steps only");
  }

 private:
  void submit_runs(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                   std::span<LoopRun> runs) override {
    for (LoopRun& run : runs) {
      LoopState state = begin_loop(run.local_guess);
      while (state.status == LoopStatus::running) {
        advance(SoloCrew{}, sums_at(state.at.motion, scan.view()), options, state);
        if (per_scan.trace && state.accepted) run.trace.push_back(trace_line(state));
        if (state.status == LoopStatus::running) state.status = HostWatch{per_scan}();
      }
      BasicSerialTeam<SimdLanes> alone;
      run.outcome = concluded(alone, scan.view(), last_level(), options, state);
    }
  }

  DerivativeSums<double> sums_at(const Motion& motion, const ScanView& scan) const {
    const LevelMap& map = last_level();
    return BasicSerialTeam<SimdLanes>().sum<DerivativeSums>(
        scan.size, [&](int first, int count, const auto& lanes, auto& part) {
          add_scan_points(map.view, map.gauss, motion, scan.points + first, count, lanes, part);
        });
  }
};

const Implementation kImplementations[] = {
    {.name = "one_thread",
     .runs_on = "CPU, one thread",
     .schedule = "the shared Newton loop on the calling thread",
     .unavailable_reason = [] { return std::string(); },
     .make = [](const AlignOptions& options) -> std::unique_ptr<Aligner> {
       return std::make_unique<OneThreadAligner>(options);
     },
     .one_thread = true},
};

}  // namespace

std::span<const Implementation> implementations() { return kImplementations; }

}  // namespace ndt::one_thread
