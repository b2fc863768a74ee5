#include "run/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/process.hpp"
#include "peers/peer_aligner.hpp"
#include "run/guesses.hpp"
#include "run/job_measurements.hpp"
#include "run/load_meter.hpp"
#include "run/repeatability.hpp"
#include "run/search_run.hpp"
#include "run/verdict.hpp"

namespace ndt::harness {
namespace {

double inter_quartile_share(const std::vector<double>& samples) {
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / median(samples);
}

/// The motion of a map by which its voxels are others. Without one everything keeps its bits.
class GridShift {
 public:
  GridShift(const std::optional<double>& voxels, double edge_m) {
    if (voxels) by_m_ = (*voxels * edge_m) * Vec3<double>{1, 2, 3};
  }

  /// Moves the points themselves: cells may be counted from the cloud's origin.
  PointCloud there(PointCloud map) const {
    if (by_m_)
      for (Point& p : map.points) p = cast<float>(cast<double>(p) + *by_m_);
    return map;
  }
  Transform there(const Transform& pose) const { return by_m_ ? moved(pose, *by_m_) : pose; }
  Transform back(const Transform& pose) const { return by_m_ ? moved(pose, -1.0 * *by_m_) : pose; }

 private:
  static Transform moved(const Transform& pose, const Vec3<double>& by) {
    return make_transform(rotation_of(pose), translation_of(pose) + by);
  }

  std::optional<Vec3<double>> by_m_;
};

/// An aligner with the map of one frame, and that frame's scan.
class Measurer {
 public:
  Measurer(const Plan& plan, const Job& job, const Implementation& entry, const Dataset& dataset)
      : plan_(plan),
        job_(job),
        timing_(job.timing.value_or(plan.timing)),
        dataset_(dataset),
        entry_(entry),
        options_(job_options(job, dataset)),
        aligner_(made()),
        grid_shift_(job.grid_shift, options_.resolution_m) {}

  /// Reads the frame's clouds and builds its map, unless that is done. guess: of the first alignment.
  void prepare(std::size_t frame, const Transform& guess) {
    if (scan_of_ == frame) return;
    scan_of_.reset();
    scan_ = dataset_.scan(frame);
    if (!dataset_.one_map || !has_map_) {
      const PointCloud map = grid_shift_.there(dataset_.map(frame));
      wait_until_idle();
      const Stopwatch watch;
      map_ = aligner_->set_map(map);
      build_us_ = watch.elapsed_us();
      if (const auto spent = spent_by(*aligner_)) build_us_ = spent->map_us;
      if (entry_.on_device && job_.timed && !has_map_) take_first_calls(map, guess);
      bounds_ = bounds_of(*aligner_, map, options_, entry_);
      if ((job_.search || job_.second_look.value_or(false)) && !entry_.own_process)
        judge_.emplace(bounds_, map);
      if (searches_anywhere()) anywhere_.emplace(anywhere_in(map, options_, entry_.on_device));
      has_map_ = true;
    }
    scan_of_ = frame;
  }

  /// Takes one measurement of the prepared frame.
  void measure(Measurement& measurement) {
    measurement.points = static_cast<std::int64_t>(scan_.size());
    measurement.map_points = map_.points;
    measurement.voxels = map_.voxels;
    measurement.build_us = build_us_;
    measurement.first_calls = first_calls_;

    per_scan_ = per_scan_of(measurement);
    search_.reset();
    out_of_time_ = false;
    if (measurement.search) {
      ResolvedSearch setting = resolve(job_.search.value().arguments, job_.implementation);
      take_bounds(setting, bounds_);
      search_.emplace(setting, measurement);
    }
    if (is_too_long(measurement)) return;
    place(measurement, measurement.poses);
    PerScan first = starting_now();
    first.trace = job_.trace && !search_ && !job_.grid_shift;  // of a search, its particles' paths
    align(first);                                              // memory, threads, caches
    take_results();
    const std::vector<AlignResult> expected = results_;
    if (job_.timed) {
      measurement.calibration_us = machine_speed_us();
      if (!job_.rate_hz) take_idle_samples(measurement, expected);
      take_samples(measurement, expected);
      take_load(measurement);
    } else {
      measurement.align_us = {timed_align(measurement, expected)};
      measurement.timing = Timing::single;
    }
    fill(measurement, expected);
  }

 private:
  std::unique_ptr<Aligner> made() {
    const Stopwatch watch;
    auto aligner = entry_.make(options_);
    make_us_ = watch.elapsed_us();
    return aligner;
  }

  /// The first alignment after the first map, which may take what later ones have, and a map after both.
  void take_first_calls(const PointCloud& map, const Transform& guess) {
    FirstCalls first{make_us_, 0, 0};
    const Stopwatch aligning;
    aligner_->align(scan_, guess);
    first.align_us = aligning.elapsed_us();
    const Stopwatch building;
    aligner_->set_map(map);
    first.rebuild_us = building.elapsed_us();
    first_calls_ = first;
  }

  bool searches_anywhere() const {
    if (!job_.search) return false;
    const ResolvedSearch setting = resolve(job_.search->arguments, job_.implementation);
    return !setting.is_own() && setting.options.method == initial_pose::Method::anywhere;
  }

  PerScan per_scan_of(const Measurement& measurement) const {
    PerScan out = per_scan(job_.variant.options);
    if (!job_.variant.regularised_at_truth) return out;
    const Vec3<double> truth = translation_of(grid_shift_.there(measurement.truth.value()));
    out.regularisation = RegularisationTarget{truth.x, truth.y};
    return out;
  }

  /// Every call has the variant's whole time.
  PerScan starting_now() const {
    PerScan out = per_scan_;
    out.deadline = per_scan(job_.variant.options).deadline;
    return out;
  }

  /// Sets the poses that are aligned from now on.
  void place(const Measurement& measurement, int poses) {
    guesses_ = batch_guesses(grid_shift_.there(measurement.guess), poses);
    results_.resize(guesses_.size());
  }

  /// Runs the alignment of a measurement: its guess alone, its whole batch in one call, or its search.
  void align(const PerScan& per_scan) {
    if (search_)
      search_->run(*aligner_, scan_, per_scan, anywhere_ ? &*anywhere_ : nullptr,
                   judge_ ? &judge_->sight_lines() : nullptr);
    else if (guesses_.size() == 1)
      results_[0] = aligner_->align(scan_, guesses_[0], per_scan);
    else if (entry_.batches)
      aligner_->align_batch(scan_, guesses_, results_, per_scan);
    else
      throw std::logic_error("align_batch: not offered by this implementation; plan single alignments");
  }

  /// Called after the time was taken: an aligner writes its results directly, a search keeps them until here.
  void take_results() {
    out_of_time_ |=
        search_ ? search_->interrupted() : std::ranges::any_of(results_, [](const AlignResult& result) {
          return result.stop == Stop::timeout;
        });
    if (search_) results_ = search_->take();
  }

  /// A batch that, by the time of a small one, would exceed the longest call. The measurement then says so.
  bool is_too_long(Measurement& measurement) {
    if (measurement.poses == 1 || !plan_.limits.call_s) return false;
    constexpr int kProbe = 10;  // a device does few poses in the time of one
    const int probe = std::min(kProbe, measurement.poses / 2);
    place(measurement, probe);
    align(starting_now());  // memory, threads, caches
    const PerScan limits = starting_now();
    const Stopwatch watch;
    align(limits);
    const double pose_s = watch.elapsed_us() / 1e6 / probe;
    if (pose_s * measurement.poses <= *plan_.limits.call_s) return false;
    measurement.error = fmt::format(
        "skipped: {} poses, at {:.3g} ms each in a batch of {}, are more than the {:g} s of limits.call_s",
        measurement.poses, pose_s * 1e3, probe, *plan_.limits.call_s);
    measurement.failure = Failure::skipped;
    return true;
  }

  double timed_align(Measurement& measurement, const std::vector<AlignResult>& expected) {
    const std::optional<Traffic> before = aligner_->traffic();
    const PerScan limits = starting_now();
    const Stopwatch watch;
    align(limits);
    double time_us = watch.elapsed_us();
    if (const auto spent = spent_by(*aligner_)) time_us = spent->align_us;
    take_results();
    if (out_of_time_)
      measurement.traffic.reset();  // when time runs out is chance: such calls are not compared
    if (!entry_.own_process && !out_of_time_ && !std::ranges::equal(expected, results_, same_bits))
      throw RegressionError("align: two calls with the same input gave different bits");
    if (before) {
      add_alignment(measurement.traffic, traffic_between(*before, aligner_->traffic().value()));
      measurement.meetings = measurement.traffic->meetings;
    }
    return time_us;
  }

  /// At most a third of the cap, for what is not the main measurement.
  void take_idle_samples(Measurement& measurement, const std::vector<AlignResult>& expected) {
    const Stopwatch watch;
    for (int k = 0; k < timing_.idle_samples; ++k) {
      if (k > 0 && watch.elapsed_us() > timing_.cap_s * 1e6 / 3) return;
      wait_until_idle();
      measurement.align_after_idle_us.push_back(timed_align(measurement, expected));
    }
  }

  void take_samples(Measurement& measurement, const std::vector<AlignResult>& expected) {
    constexpr std::size_t kLeast = 3, kLook = 10;  // the spread is checked after each kLook samples
    const auto wanted = static_cast<std::size_t>(timing_.samples);
    const Ticks ticks(job_.rate_hz);
    const Stopwatch watch;
    const auto announce = [&] { aligner_->expect_scan(); };
    while (true) {
      job_.announced_ms ? ticks.wait(*job_.announced_ms, announce) : ticks.wait();
      measurement.align_us.push_back(timed_align(measurement, expected));
      const std::size_t n = measurement.align_us.size();
      const bool look = n >= wanted && (n - wanted) % kLook == 0;
      if (look && inter_quartile_share(measurement.align_us) <= timing_.spread) {
        measurement.timing = Timing::settled;
        return;
      }
      if (n >= std::min(kLeast, wanted) && watch.elapsed_us() >= timing_.cap_s * 1e6) {
        measurement.timing = Timing::wall_cap;
        return;
      }
    }
  }

  /// Repeats the alignment back to back, untimed, and reads what this asks of the machine.
  void take_load(Measurement& measurement) {
    const double load_s = timing_.load_s.value_or(0);
    if (load_s == 0 || job_.rate_hz) return;
    if (!load_meter_) load_meter_.emplace(Nvml::get(), cards_of(entry_, options_));
    measurement.load = load_meter_->measure(load_s, [&] {
      align(starting_now());
      take_results();
    });
  }

  void fill(Measurement& measurement, const std::vector<AlignResult>& results) const {
    for (const AlignResult& result : results) {
      measurement.iterations += result.iterations;
      measurement.evaluations += result.evaluations;
    }
    const AlignResult& result = search_ ? results.at(search_->best()) : results.front();
    measurement.pose = grid_shift_.back(result.map_from_scan);
    measurement.stop = to_string(result.stop);
    measurement.oscillation_count = result.oscillation_count;
    measurement.newton_fallbacks = result.newton_fallbacks;
    if (entry_.solver) measurement.solver = entry_.solver();
    measurement.correspondences = result.correspondences;
    measurement.score = result.score;
    measurement.transform_probability = result.transform_probability;
    measurement.nvtl = result.nvtl;
    measurement.finish = result.finish;
    measurement.trace = result.trace;
    measurement.peak_rss_bytes = peak_resident_bytes(::getpid());
    if (measurement.truth) measurement.to_truth = pose_difference(measurement.pose, *measurement.truth);
    if (const auto spent = spent_by(*aligner_)) {
      measurement.aside = {spent->scan_us, spent->pipe_us};
      measurement.peak_rss_bytes = spent->peak_rss_bytes;
    }
    if (search_)
      search_->fill(measurement, results, job_.trace);
    else
      judge(measurement, result);
  }

  void judge(Measurement& measurement, const AlignResult& result) const {
    const initial_pose::PoseJudgement judgement = job_.second_look.value_or(false) && judge_ && !entry_.peer
                                                      ? (*judge_)(*aligner_, scan_, result, starting_now())
                                                      : initial_pose::judge(result, bounds_);
    measurement.verdict = to_text(judgement);
    if (!judgement.evidence) return;
    measurement.matched = judgement.evidence->matched;
    // A spread without a bound is none: JSON has no infinity.
    if (const auto& spread_m = judgement.evidence->spread_m; spread_m && std::isfinite(*spread_m))
      measurement.spread_m = spread_m;
  }

  const Plan& plan_;
  const Job& job_;
  const TimingRule timing_;
  const Dataset& dataset_;
  const Implementation& entry_;
  AlignOptions options_;
  double make_us_ = 0;
  std::unique_ptr<Aligner> aligner_;
  GridShift grid_shift_;
  PointCloud scan_;
  std::vector<Transform> guesses_;            ///< of the current measurement
  std::optional<SearchRun> search_;           ///< of it, if it is one
  std::optional<AnywhereSearch> anywhere_;    ///< of the map, if the search needs it
  std::optional<initial_pose::Judge> judge_;  ///< of the map, for searches and second looks
  std::vector<AlignResult> results_;
  bool out_of_time_ = false;  ///< any call of this measurement so far
  PerScan per_scan_;
  std::optional<std::size_t> scan_of_;  ///< the frame that scan and map belong to
  MapInfo map_;
  initial_pose::ReliableBounds bounds_;  ///< of the map
  bool has_map_ = false;
  double build_us_ = 0;
  std::optional<FirstCalls> first_calls_;
  std::optional<LoadMeter> load_meter_;
};

/// The frame of every planned measurement.
std::vector<std::size_t> frames_of(const Job& job, const Dataset& dataset,
                                   const std::vector<Measurement>& measurements) {
  std::vector<std::size_t> frames;
  std::size_t at = 0;
  for (const Measurement& measurement : measurements) {
    while (dataset.frames.at(job.frames.at(at)).name != measurement.frame) ++at;
    frames.push_back(job.frames[at]);
  }
  return frames;
}

/// The measurement as it was planned, with what went wrong.
Measurement failed(Measurement planned, const std::exception& error) {
  planned.error = *error.what() ? error.what() : "failed without a message";
  planned.failure = Failure::exception;
  return planned;
}

}  // namespace

void measure(const Plan& plan, const Job& job, const Implementation& entry, const Dataset& dataset,
             const std::vector<std::size_t>& wanted, const MeasureObserver& observer) {
  const std::vector<Measurement> measurements = planned_measurements(plan.run_id, job, dataset);
  const std::vector<std::size_t> frames = frames_of(job, dataset, measurements);
  std::optional<Measurer> measurer;
  for (const std::size_t index : wanted) {
    Measurement measurement = measurements.at(index);
    try {
      if (!measurer) measurer.emplace(plan, job, entry, dataset);
      measurer->prepare(frames[index], measurement.guess);
      if (index == wanted.front()) observer.ready();
      measurer->measure(measurement);
    } catch (const std::exception& error) {
      measurement = failed(measurements[index], error);
      measurer.reset();  // nothing of it is trusted any more
    }
    observer.measured(measurement);
  }
}

}  // namespace ndt::harness
