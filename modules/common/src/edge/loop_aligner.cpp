#include "ndt/edge/loop_aligner.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/core/workers.hpp"
#include "ndt/exec/helper_threads.hpp"

namespace ndt {
namespace {

/// Writes the results of a batch on helper threads and the calling one. A result takes two
/// eigen-decompositions, which last longer than an alignment on a device, and alignments of one batch often
/// end together. So the helpers start while a device still aligns.
class ResultWriter {
 public:
  using Write = std::function<void(std::size_t)>;

  ResultWriter(std::size_t results, Write write)
      : results_(results),
        write_(std::move(write)),
        helpers_(start_helpers(std::min(kHelpers, results / kResultsPerThread), [this] { write_ended(); })) {}
  ~ResultWriter() { given_up_.store(true, std::memory_order_relaxed); }
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// Tells that all alignments before `end` have ended.
  void ended(std::size_t end) { ended_.store(end, std::memory_order_release); }
  /// Writes what is left, and returns when all is written.
  void complete() {
    write_ended();
    for (std::future<void>& one : helpers_) one.get();
  }

 private:
  /// A thread starts while the device aligns, so that it pays from a few results on.
  static constexpr std::size_t kResultsPerThread = 10;
  static constexpr std::size_t kHelpers = 7;

  /// Takes one result after the other, and waits for each to be there.
  void write_ended() {
    for (std::size_t k; (k = next_.fetch_add(1, std::memory_order_relaxed)) < results_;) {
      while (ended_.load(std::memory_order_acquire) <= k) {
        if (given_up_.load(std::memory_order_relaxed)) return;
        std::this_thread::yield();
      }
      write_(k);
    }
  }

  const std::size_t results_;
  const Write write_;
  std::atomic<std::size_t> next_{0}, ended_{0};
  std::atomic<bool> given_up_{false};
  std::vector<std::future<void>> helpers_;  // their destructors wait, so they come last
};

}  // namespace

Gauss<float> LoopAligner::gauss(double edge_m) const {
  const Gauss<double> gauss = make_gauss(options_.outlier_ratio, edge_m);
  return {static_cast<float>(gauss.d1), static_cast<float>(gauss.d2)};
}

void LoopAligner::require_map(const char* where) const {
  if (levels_.empty()) throw std::logic_error(std::string(where) + ": set_map was not called");
}

TakenScan LoopAligner::take_scan(const Scan& scan, std::size_t poses, const char* where) {
  if (scan.is_held()) {
    if (held_for_ == 0) refuse_without_held_scan(where);
    require_held_for(poses, held_for_, where);
    return *in_room_;
  }
  in_room_.reset();
  if (const DeviceCloud* cloud = scan.on_device()) {
    in_room_ = take_device_scan(*cloud, poses, where);
  } else {
    const PointCloud& given = *scan.on_host();
    Point* room = room_for_scan(given.size(), poses);
    in_room_ = TakenScan{room, copy_scan_points(given, options_, where, room)};
  }
  return *in_room_;
}

TakenScan LoopAligner::take_device_scan(const DeviceCloud&, std::size_t, const char* where) {
  refuse_device_cloud(where);
}

PointCloud LoopAligner::fetched(const DeviceCloud&, const char* where) { refuse_device_cloud(where); }

void LoopAligner::require_ready(const Scan& scan, std::span<const Transform> poses, const char* where) {
  give_up();
  require_map(where);
  for (const Transform& pose : poses) require_rigid(pose, where);
  if (!scan.is_held()) held_for_ = 0;  // its room is the next scan's
}

LoopScan LoopAligner::prepare(const Scan& scan, std::span<const Transform> poses, const char* where) {
  require_ready(scan, poses, where);
  return loop_scan(take_scan(scan, poses.size(), where));
}

LoopScan LoopAligner::loop_scan(const TakenScan& taken) const {
  return {taken.points,
          {static_cast<std::int64_t>(taken.chosen.points), taken.chosen.dropped, taken.chosen.mean_range_m,
           options_.coarse_stride, static_cast<int>(levels_.size()) - 1}};
}

LoopOptions LoopAligner::loop_options_for(const PerScan& per_scan, const LoopScan& scan) const {
  return loop_options(options_, per_scan, levels_, windows_, scan.facts.mean_range_m);
}

void LoopAligner::begin(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan,
                        const char* where) {
  clock_.reset();
  const StageSpan counting(clock_, HostStage::prepare);
  require_ready(scan, guesses, where);
  batch_.guesses = guesses;
  batch_.per_scan = per_scan;
  batch_.runs.resize(guesses.size());
  for (std::size_t k = 0; k < guesses.size(); ++k) {
    batch_.runs[k].local_guess = to_local(guesses[k], map_origin());
    batch_.runs[k].trace.clear();
    batch_.runs[k].conditioning.reset();
  }
  if (!guesses.empty()) last_guess_ = batch_.runs.front().local_guess;
  if (const PointCloud* cloud = scan.on_host(); cloud == nullptr || !begin_early(*cloud, where)) {
    clock_.enter(HostStage::prepare);
    batch_.scan = loop_scan(take_scan(scan, guesses.size(), where));
    whole_ = batch_.scan.facts.dropped == 0;
    clock_.enter(HostStage::align);
    if (!guesses.empty())
      submit_runs(batch_.scan, loop_options_for(per_scan, batch_.scan), batch_.per_scan, batch_.runs);
  }
  batch_.pending = true;
}

/// Has an alignment alone begin before its scan is checked and copied, if the implementation can and all
/// points are likely to be used. False: it has not begun.
bool LoopAligner::begin_early(const PointCloud& cloud, const char* where) {
  EarlyLaunch* const early = early_launch();
  if (early == nullptr || batch_.runs.size() != 1 || !whole_ || cloud.empty() ||
      cloud.size() > Limits::kPoints)
    return false;
  in_room_.reset();
  Point* const room = room_for_scan(cloud.size(), 1);
  clock_.enter(HostStage::align);
  ScanArrival* const arrival = early->begin({room, static_cast<int>(cloud.size())},
                                            loop_options(options_, batch_.per_scan, levels_, windows_, 0),
                                            batch_.per_scan, batch_.runs);
  if (arrival == nullptr) return false;
  clock_.enter(HostStage::prepare);
  const auto withdraw = [&] { arrival->withdraw(), early->forget(); };
  TakenScan taken{room, {}};
  try {
    taken.chosen = copy_scan_points(cloud, options_, where, room, [&](std::size_t points) {
      arrival->publish(static_cast<std::int64_t>(points));
    });
  } catch (...) {
    withdraw();
    throw;
  }
  whole_ = taken.chosen.points == cloud.size();
  if (!whole_) {
    withdraw();
    return false;
  }
  arrival->complete(per_metre_at(taken.chosen.mean_range_m));
  in_room_ = taken;
  batch_.scan = loop_scan(taken);
  clock_.enter(HostStage::align);
  return early->arrived(batch_.scan);
}

/// Collects the alignments that the caller did not, because their buffers are free only when a device is done
/// with them.
void LoopAligner::give_up() {
  if (!std::exchange(batch_.pending, false)) return;
  try {
    for (std::size_t k = 0; k < batch_.runs.size(); ++k) collect_run(batch_.per_scan, batch_.runs, k);
  } catch (...) {
    // Ignored: a device that failed reports it again in the call that follows.
  }
}

AlignResult LoopAligner::align(const Scan& scan, const Transform& guess, const PerScan& per_scan) {
  const Turn turn(*this, "align");
  begin(scan, {&guess, 1}, per_scan, "align");
  AlignResult out;
  collect({&out, 1});
  return out;
}

Evaluation LoopAligner::evaluate(const Scan& scan, const Transform& pose, const PerScan& per_scan) {
  const Turn turn(*this, "evaluate");
  const LoopScan prepared = prepare(scan, {&pose, 1}, "evaluate");
  const Transform local_pose = to_local(pose, map_origin());
  Evaluation out = to_evaluation(evaluate_at(prepared, local_pose, per_scan), map_origin(), prepared.facts);
  if (per_scan.point_scores) out.point_scores = point_scores(prepared, local_pose);
  return out;
}

LoopOutcome LoopAligner::evaluate_at(const LoopScan& scan, const Transform& local_pose,
                                     const PerScan& per_scan) {
  LoopOptions options = loop_options_for(per_scan, scan);
  options.max_iterations = 0;
  return run_alone(scan, local_pose, options);
}

LoopOutcome LoopAligner::run_alone(const LoopScan& scan, const Transform& local_guess,
                                   const LoopOptions& options) {
  LoopRun one{local_guess, {}, {}, {}};
  submit_runs(scan, options, {}, {&one, 1});
  collect_run({}, {&one, 1}, 0);
  return one.outcome;
}

void LoopAligner::expect_scan() {
  const Turn turn(*this, "expect_scan");
  if (!levels_.empty() && !batch_.pending) wake();
}

void LoopAligner::wake() { repeat_last(options_.max_iterations); }

void LoopAligner::repeat_last(int iterations) {
  if (!in_room_) return;
  const LoopScan scan = loop_scan(*in_room_);
  LoopOptions options = loop_options_for({}, scan);
  options.max_iterations = iterations;
  run_alone(scan, last_guess_, options);
}

const Workers& LoopAligner::workers() const {
  static const Workers alone;
  return alone;
}

void LoopAligner::submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) {
  const Turn turn(*this, "submit");
  require_room_for_results(guesses.size(), guesses.size(), "submit");
  begin(scan, guesses, per_scan, "submit");
}

void LoopAligner::score_batch(const Scan& scan, std::span<const Transform> poses, std::span<Score> out) {
  const Turn turn(*this, "score_batch");
  require_room_for_results(poses.size(), out.size(), "score_batch");
  const LoopScan prepared = prepare(scan, poses, "score_batch");
  if (poses.empty()) return;
  local_poses_.assign(poses.begin(), poses.end());
  for (Transform& pose : local_poses_) pose = to_local(pose, map_origin());
  score(prepared, local_poses_, out);
}

void LoopAligner::hold(const PointCloud& scan, std::size_t poses) {
  const Turn turn(*this, "hold");
  require_room_for_results(poses, poses, "hold");
  require_map("hold");
  give_up();
  held_for_ = 0;
  const std::size_t most = std::max<std::size_t>(poses, 1);  // as evaluate() needs
  TakenScan taken = take_scan(scan, most, "hold");
  taken.points = keep_scan(taken);
  in_room_ = taken;
  held_for_ = most;
}

HeldRawScan LoopAligner::hold_raw(const Scan& raw, const RawScanUse& use, std::size_t poses) {
  const Turn turn(*this, "hold_raw");
  require_room_for_results(poses, poses, "hold_raw");
  require_map("hold_raw");
  validate(use.filters);
  give_up();
  in_room_.reset();
  held_for_ = 0;
  const std::size_t most = std::max<std::size_t>(poses, 1);  // as evaluate() needs
  TakenScan taken;
  if (std::optional<HeldRawScan> prepared = prepare_on_device(raw, use, most, taken)) {
    in_room_ = taken;
    held_for_ = most;
    return *std::move(prepared);
  }
  if (const DeviceCloud* cloud = raw.on_device())
    return prepare_and_hold(fetched(*cloud, "hold_raw"), use, poses, workers());
  return prepare_and_hold(raw, use, poses, workers());
}

void LoopAligner::collect(std::span<AlignResult> out) {
  const Turn turn(*this, "collect");
  if (!batch_.pending) throw std::logic_error("collect: nothing was submitted");
  require_room_for_results(batch_.runs.size(), out.size(), "collect");
  batch_.pending = false;
  const StageSpan counting(clock_, HostStage::result);
  const auto write = [&, origin = map_origin()](std::size_t k) {
    const LoopRun& run = batch_.runs[k];
    out[k] =
        to_result(run.outcome, batch_.guesses[k], origin, batch_.scan.facts, run.trace, run.conditioning);
  };
  ResultWriter writer(out.size(), std::cref(write));  // which takes no memory
  for (std::size_t k = 0; k < out.size(); ++k) {
    collect_run(batch_.per_scan, batch_.runs, k);
    writer.ended(k + 1);
  }
  writer.complete();
}

/// Takes all memory in the way in which alignments and scores take it.
void LoopAligner::evaluate_all(const PointCloud& cloud, std::span<const Transform> poses) {
  batch_.scan = prepare(cloud, poses, "reserve");
  LoopOptions options = loop_options_for({}, batch_.scan);
  options.max_iterations = 0;
  batch_.runs.resize(poses.size());
  for (std::size_t k = 0; k < poses.size(); ++k)
    batch_.runs[k].local_guess = to_local(poses[k], map_origin());
  submit_runs(batch_.scan, options, {}, batch_.runs);
  for (std::size_t k = 0; k < poses.size(); ++k) collect_run({}, batch_.runs, k);
  std::vector<Score> scores(poses.size());
  score_batch(cloud, poses, scores);
}

void LoopAligner::reserve(std::size_t points, std::size_t poses) {
  const Turn turn(*this, "reserve");
  require_room_for_results(poses, poses, "reserve");
  if (points > Limits::kPoints)
    throw std::invalid_argument(
        formatted("reserve: {} points, a scan has at most {}", points, Limits::kPoints));
  require_map("reserve");
  if (points == 0 || poses == 0) return;
  try {
    PointCloud scan;
    scan.points.resize(points);
    Transform pose;
    pose(0, 3) = map_origin().x, pose(1, 3) = map_origin().y, pose(2, 3) = map_origin().z;
    evaluate_all(scan, std::vector<Transform>(poses, pose));
    reserve_more(points, poses);
  } catch (const std::bad_alloc&) {
    refuse_to_reserve(points, poses, "the CPU");
  }
}

void refuse_to_reserve(std::size_t points, std::size_t poses, const char* where) {
  throw InputError(
      formatted("reserve: {} has no memory for scans of {} points and {} poses at once; thin the scans "
                "(--scan-voxel-leaf, --scan-sample), split the batch, or take a smaller map",
                where, points, poses));
}

}  // namespace ndt
