// persistent_cuda and persistent_cluster_cuda: one copy up or none, one launch, and outcomes that the kernel
// writes to host memory.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "aligners.hpp"
#include "launches.cuh"
#include "ndt/align/split_aligner.hpp"
#include "ndt/core/finite_points.hpp"
#include "ndt/edge/device_aligner.cuh"

namespace ndt::gpu_persistent {
namespace {

class PersistentAligner final : public DeviceAligner, private EarlyLaunch {
 public:
  PersistentAligner(const AlignOptions& options, TeamKind alone)
      : DeviceAligner(options),
        launcher_(context(), alone),
        trace_(context()),
        cycles_(context()),
        arrival_(context(), 1) {
    rehearse();
  }

 private:
  std::size_t bytes_ahead(std::size_t poses) const override { return poses * sizeof(LoopStart); }
  void reserve_more(std::size_t points, std::size_t poses) override {
    DeviceAligner::reserve_more(points, poses);
    transact([&] { launcher_.reserve(poses); });
  }

  void submit_runs(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
                   std::span<LoopRun> runs) override {
    transact([&] {
      mean_range_m_ = scan.facts.mean_range_m;
      while (!launch(scan, options, per_scan, runs, nullptr)) continue;
    });
  }

  /// Fewer points are copied sooner than a kernel is told that they are there.
  static constexpr int kAheadFrom = 10'000;
  /// Lets the kernel begin before the scan is there, if the kernel fetches the scan. A trust region's steps
  /// need the mean range first.
  EarlyLaunch* early_launch() override { return this; }
  ScanArrival* begin(const ScanView& scan, const LoopOptions& options, const PerScan& per_scan,
                     std::span<LoopRun> run) override {
    if (this->options().tuning == Tuning::throughput ||
        this->options().step_control == StepControl::trust_region || !launches_ahead_ ||
        scan.size < kAheadFrom || without(Saving::ahead) || !launcher_.fetches(plan_of(scan), 1))
      return nullptr;
    LoopScan announced{scan.points, {}};
    announced.facts.points = scan.size;
    ScanArrival& arrival = arrival_[0] = {};
    bool launched = false;
    try {
      launched = launch(announced, options, per_scan, run, &arrival);
    } catch (...) {
      arrival.withdraw();
      context().settle();
      throw;
    }
    // Under CUDA_LAUNCH_BLOCKING and some tools a launch returns when the kernel has ended.
    if (launched && arrival.kernel_has_given_up()) launched = launches_ahead_ = false;
    return launched ? &arrival : nullptr;
  }
  /// Traces are asked for here, because a call of the driver may wait for the kernel.
  bool arrived(const LoopScan& scan) override {
    if (arrival_[0].kernel_has_given_up()) return false;
    mean_range_m_ = scan.facts.mean_range_m;
    transact([&] { fetch_traces(trace_.data(), trace_lines_, 1); });
    return true;
  }
  void forget() override {
    transact([&] { wait_for_kernel(); });
  }

  /// False: the device has no room for so many blocks, and the next launch takes fewer.
  bool launch(const LoopScan& scan, const LoopOptions& options, const PerScan& per_scan,
              std::span<LoopRun> runs, ScanArrival* arrival) {
    clock().enter(HostStage::upload);
    trace_lines_ = per_scan.trace ? options.max_iterations + 1 : 0;
    max_iterations_ = options.max_iterations;
    PersistentArguments arguments = upload(scan, options, runs);
    arguments.fetch.arrival = arrival;
    arguments.interrupt = interrupt_word(per_scan, scan, options, runs.size());
    if constexpr (kStageClock) {
      cycles_.reserve(1);
      arguments.stages = cycles_.data();
    }
    fetch_barrier_ = arguments.trust_region && arguments.fetch.points != nullptr;
    clock().enter(HostStage::launch);
    const std::optional<TeamKind> launched = launcher_.launch(arguments, runs.size());
    clock().enter(HostStage::align);
    if (!launched) return false;
    team_ = *launched;
    if (arrival == nullptr) fetch_traces(trace_.data(), trace_lines_, runs.size());
    return true;
  }

  std::string wait_in_vain() override { return launcher_.wait_in_vain(); }

  void collect_run(const PerScan& per_scan, std::span<LoopRun> runs, std::size_t k) override {
    transact([&] {
      // An alignment alone is worded while its pushes are summed. Those of a batch have threads for it.
      if (runs.size() == 1 && !without(Saving::wording)) {
        clock().enter(HostStage::wait);
        const LoopOutcome& outcome = outcome_in_place(k, per_scan);
        clock().enter(HostStage::word);
        runs[k].conditioning = conditioning_of(outcome, mean_range_m_);
      }
      clock().enter(HostStage::wait_for_pushes);
      runs[k].outcome = whole_outcome_in_place(k, per_scan);
      clock().enter(HostStage::result);
      context().count_meetings(meetings_of(team_, runs[k].outcome, max_iterations_, fetch_barrier_));
      if (k == 0) trace_lines_ > 0 ? context().synchronise() : context().count_wait();
      collect_trace(k, trace_lines_, runs[k]);
    });
  }

  ChunkPlan plan_of(const ScanView& scan) const {
    return options().tuning == Tuning::throughput
               ? ChunkPlan::throughput(scan.size)
               : ChunkPlan(scan.size, without(Saving::sharing) ? 1 : kMostSharing);
  }

  /// Uploads the scan, and what the loops start from. Where latency counts, that is what the host has made of
  /// the guesses, because one thread of a device takes longer; a kernel for one pose has it among its
  /// arguments and fetches the scan itself. For many poses the host takes longer than a device, on which one
  /// team makes its start while others align.
  PersistentArguments upload_inputs(const LoopScan& scan, std::span<const LoopRun> runs) {
    PersistentArguments a;
    const bool busy = options().tuning == Tuning::throughput;
    a.plan = plan_of(scan.view());
    if (busy && is_on_device(scan.view())) {
      a.input.scan = {reserve_scan(scan.view(), runs.size(), 0).points, scan.view().size};
      a.guesses = guesses_in_place(runs);
      return a;
    }
    if (busy) {
      const PlacedScan placed = place(scan, runs);
      a.input.scan = {placed.points, scan.view().size};
      a.guesses = placed.guesses;
      return a;
    }
    if (!is_on_device(scan.view()) && launcher_.fetches(a.plan, runs.size())) {
      a.fetch = {scan.view().points, nullptr, loop_start(runs[0].local_guess)};
      a.input.scan = {reserve_scan(scan.view(), 0, 0).points, scan.view().size};
      const std::size_t points = static_cast<std::size_t>(scan.view().size) * sizeof(Point);
      context().count_upload(sizeof a.fetch.start + points);
      return a;
    }
    starts_.resize(runs.size());
    for (std::size_t k = 0; k < runs.size(); ++k) starts_[k] = loop_start(runs[k].local_guess);
    const std::size_t bytes = starts_.size() * sizeof(LoopStart);
    a.input.scan = {reserve_scan(scan.view(), 0, bytes).points, scan.view().size};
    upload_scan(scan.view(), {}, starts_.data(), bytes);
    a.starts = static_cast<const LoopStart*>(uploaded(bytes));
    return a;
  }

  /// Uploads the inputs, and gives the arguments of a launch.
  PersistentArguments upload(const LoopScan& scan, const LoopOptions& options,
                             std::span<const LoopRun> runs) {
    PersistentArguments a = upload_inputs(scan, runs);
    const std::size_t trace_size = runs.size() * static_cast<std::size_t>(trace_lines_);
    trace_.reserve(trace_size);
    clear(trace_.data(), trace_size * sizeof(LoopTrace));
    a.input.options = options;
    a.input.coarse_stride = this->options().coarse_stride;
    for_each_level([&](std::size_t l, const LevelMap& map) { a.input.levels[l] = map; });
    a.ending_beside = !without(Saving::beside);
    a.trust_region = this->options().step_control == StepControl::trust_region;
    a.outcomes = outcomes_in_place(runs.size());
    a.traces = trace_lines_ > 0 ? trace_.data() : nullptr;
    return a;
  }

  Counters counters() const override {
    Counters all = DeviceAligner::counters();
    if constexpr (!kStageClock) return all;
    if (cycles_.data() == nullptr) return {all.traffic, std::nullopt};
    context().synchronise();
    StageTimes& out = *all.stage_times;
    const StageCycles& cycles = cycles_[0];
    const double us = 1e-3 * static_cast<double>(cycles.total_ns) / static_cast<double>(cycles.total);
    out.begin_us = us * static_cast<double>(cycles.begin);
    out.device_us = us * static_cast<double>(cycles.total);
    std::copy(std::begin(cycles.meetings), std::end(cycles.meetings), out.meetings);
    for (int section = 0; section < kSectionCount; ++section)
      for (int step = 0; step < kStepCount; ++step)
        out.sections_us[section][step] = us * static_cast<double>(cycles.sections[section][step]);
    return all;
  }

  Launcher launcher_;
  cuda::DeviceBuffer<LoopTrace> trace_;
  std::vector<LoopStart> starts_;
  cuda::PinnedBuffer<StageCycles> cycles_;  ///< with NDT_STAGE_CLOCK alone
  cuda::PinnedBuffer<ScanArrival> arrival_;
  bool launches_ahead_ = true;
  // The state of the alignments under way:
  int trace_lines_ = 0;  ///< for each
  int max_iterations_ = 0;
  TeamKind team_ = TeamKind::grid;
  bool fetch_barrier_ = false;
  double mean_range_m_ = 0;  ///< of the scan under way
};

}  // namespace

std::string grid_unavailable_reason() {
  static const std::string reason = grid_reason(0);
  return reason;
}
std::string cluster_unavailable_reason() {
  static const std::string reason = cluster_reason(0);
  return reason;
}

namespace {
/// Throws std::runtime_error unless a device has the team. The first one's has been asked for with the reason
/// for which an implementation is unavailable.
void require_team(int device, TeamKind team) {
  if (device == 0) return;
  require_device(device);
  const std::string reason = team == TeamKind::grid ? grid_reason(device) : cluster_reason(device);
  if (!reason.empty())
    throw std::runtime_error("option device = " + std::to_string(device) + ": " + reason +
                             "; choose another device or implementation");
}

/// An aligner on each of options.devices devices, as one.
std::unique_ptr<Aligner> make_on_devices(AlignOptions options, TeamKind alone) {
  const int devices = std::exchange(options.devices, 1);
  for (int k = 0; k < devices; ++k) require_team(options.device + k, alone);
  if (devices == 1) return std::make_unique<PersistentAligner>(options, alone);
  std::vector<std::unique_ptr<Aligner>> parts;
  for (int k = 0; k < devices; ++k, ++options.device)
    parts.push_back(std::make_unique<PersistentAligner>(options, alone));
  return std::make_unique<SplitAligner>(std::move(parts));
}
}  // namespace

std::unique_ptr<Aligner> make_grid_aligner(const AlignOptions& options) {
  return make_on_devices(options, TeamKind::grid);
}
std::unique_ptr<Aligner> make_cluster_aligner(const AlignOptions& options) {
  return make_on_devices(options, TeamKind::cluster);
}

}  // namespace ndt::gpu_persistent
