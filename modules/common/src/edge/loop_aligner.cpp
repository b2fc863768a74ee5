#include "ndt/edge/loop_aligner.hpp"

#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>

#include "ndt/align/usable_points.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {
namespace {

void require_equal(std::size_t poses, std::size_t results, const char* where) {
  if (poses > Limits::kBatch)
    throw std::invalid_argument(std::string(where) + ": " + std::to_string(poses) + " poses, at most " +
                                std::to_string(Limits::kBatch) + " in one call; split them");
  if (poses != results)
    throw std::invalid_argument(std::string(where) + ": " + std::to_string(poses) + " poses but room for " +
                                std::to_string(results) + " results");
}

Gauss<float> float_gauss(const AlignOptions& options) {
  const Gauss<double> gauss = make_gauss(options.outlier_ratio, options.resolution_m);
  return {static_cast<float>(gauss.d1), static_cast<float>(gauss.d2)};
}

/// What the work thrown in threw, to be thrown when the device is done with buffers that the next call wants.
std::exception_ptr meanwhile(const PerScan& per_scan) {
  try {
    if (per_scan.meanwhile) per_scan.meanwhile();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// Words the results of a batch: the last ones at its end, those before on threads of their own as alignments end.
class Wording {
 public:
  using Word = std::function<void(std::size_t begin, std::size_t end)>;
  Wording(Word word, bool on_threads) : word_(std::move(word)), on_threads_(on_threads) {}

  /// All alignments before `end` have.
  void ended(std::size_t end) {
    if (!on_threads_ || end - worded_ <= kResults) return;
    begin(worded_, worded_ + kResults);
    worded_ += kResults;
  }
  /// Returns when all results are worded.
  void complete(std::size_t results) {
    word_(worded_, results);
    for (std::future<void>& one : under_way_) one.get();
  }

 private:
  static constexpr std::size_t kResults = 16;  // of a thread: fewer are worded as soon as one is started
  static constexpr std::size_t kThreads = 4;

  void begin(std::size_t from, std::size_t end) {
    if (under_way_.size() == kThreads) {
      under_way_.front().get();
      under_way_.pop_front();
    }
    under_way_.push_back(std::async([this, from, end] { word_(from, end); }));  // no thread to be had: in complete()
  }

  Word word_;
  bool on_threads_;
  std::size_t worded_ = 0;
  std::deque<std::future<void>> under_way_;
};

}  // namespace

LoopAligner::LoopAligner(const AlignOptions& options) : options_(options) {
  validate(options);
  gauss_ = float_gauss(options);
}

std::vector<Motion> LoopAligner::motions_at(std::span<const Transform> local_poses) {
  std::vector<Motion> motions;
  motions.reserve(local_poses.size());
  for (const Transform& pose : local_poses) motions.push_back(loop_start(pose).at.motion);
  return motions;
}

void LoopAligner::require_map(const char* where) const {
  if (map_origin() == nullptr) throw std::logic_error(std::string(where) + ": set_map was not called");
}

Point* LoopAligner::room_for_scan(std::size_t points, std::size_t) {
  if (points > room_.size()) room_ = std::vector<Point>(points);
  return room_.data();
}

LoopScan LoopAligner::prepare(const PointCloud& scan, std::span<const Transform> poses, std::size_t results,
                              const char* where) {
  require_map(where);
  require_equal(poses.size(), results, where);
  for (const Transform& pose : poses) require_rigid(pose, where);
  Point* room = room_for_scan(scan.size(), poses.size());
  const CopiedPoints copied = copy_scan_points(scan, options_, where, room);
  return {room, {static_cast<std::int64_t>(copied.points), copied.dropped, copied.mean_range_m}};
}

AlignResult LoopAligner::align(const PointCloud& cloud, const Transform& guess, const PerScan& per_scan) {
  const LoopScan scan = prepare(cloud, {&guess, 1}, 1, "align");
  LoopRun one{to_local(guess, *map_origin()), {}, {}};
  run(scan, loop_options(options_, per_scan, *map_origin()), per_scan, {&one, 1});
  const std::exception_ptr thrown = meanwhile(per_scan);
  finish(per_scan, {&one, 1}, 0);
  if (thrown) std::rethrow_exception(thrown);
  return to_result(one.outcome, guess, *map_origin(), scan.facts, one.trace);
}

Evaluation LoopAligner::evaluate(const PointCloud& cloud, const Transform& pose, const PerScan& per_scan) {
  const LoopScan scan = prepare(cloud, {&pose, 1}, 1, "evaluate");
  LoopOptions options = loop_options(options_, per_scan, *map_origin());
  options.max_iterations = 0;
  LoopRun one{to_local(pose, *map_origin()), {}, {}};
  run(scan, options, {}, {&one, 1});
  finish({}, {&one, 1}, 0);
  Evaluation out = to_evaluation(one.outcome, *map_origin(), scan.facts);
  if (per_scan.point_scores) out.point_scores = point_scores(scan, one.local_guess);
  return out;
}

void LoopAligner::align_batch(const PointCloud& cloud, std::span<const Transform> guesses, std::span<AlignResult> out,
                              const PerScan& per_scan) {
  const LoopScan scan = prepare(cloud, guesses, out.size(), "align_batch");
  if (guesses.empty()) return;
  std::vector<LoopRun> runs(guesses.size());
  for (std::size_t k = 0; k < runs.size(); ++k) runs[k].local_guess = to_local(guesses[k], *map_origin());
  run(scan, loop_options(options_, per_scan, *map_origin()), per_scan, runs);
  const std::exception_ptr thrown = meanwhile(per_scan);
  const auto word = [&, origin = *map_origin()](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      out[k] = to_result(runs[k].outcome, guesses[k], origin, scan.facts, runs[k].trace);
  };
  Wording wording(word, finish_waits());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    finish(per_scan, runs, k);
    wording.ended(k + 1);
  }
  wording.complete(runs.size());
  if (thrown) std::rethrow_exception(thrown);
}

void LoopAligner::score_batch(const PointCloud& cloud, std::span<const Transform> poses, std::span<Score> out) {
  const LoopScan scan = prepare(cloud, poses, out.size(), "score_batch");
  if (poses.empty()) return;
  std::vector<Transform> local(poses.begin(), poses.end());
  for (Transform& pose : local) pose = to_local(pose, *map_origin());
  score(scan, local, out);
}

}  // namespace ndt
