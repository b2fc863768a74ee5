#include "ndt/harness/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "ndt/harness/dataset.hpp"
#include "ndt/harness/exit_code.hpp"
#include "ndt/harness/same_bits.hpp"
#include "ndt/harness/stopwatch.hpp"
#include "settle.hpp"

namespace ndt::harness {
namespace {

/// One implementation with its map, ready to align.
struct Job {
  const AlignerEntry* entry = nullptr;
  std::unique_ptr<Aligner> aligner;  ///< null once the job has failed
  RunRow row;                        ///< what all rows of the job share
  double spent_us = 0;               ///< on samples
};

/// One dataset at one thread count.
class Group {
 public:
  Group(const RunPlan& plan, const Dataset& dataset, int threads, const RunObserver& observer)
      : plan_(plan), dataset_(dataset), observer_(observer), options_(plan.options) {
    first_ = threads == plan.threads.front();
    options_.threads = threads;
    options_.resolution_m = plan.resolution_m.value_or(dataset.resolution_m);
  }

  void measure() {
    for (const AlignerEntry* entry : plan_.implementations)
      if (first_ || !entry->one_thread) jobs_.push_back(prepare(*entry));
    const int guesses = static_cast<int>(dataset_.guesses.size());
    const int rounds = guesses == 0 ? 0 : std::max(1, (plan_.samples + guesses - 1) / guesses);
    const double share_us = plan_.limit_s * 1e6 / static_cast<double>(jobs_.size());
    for (int repeat = 0; repeat < rounds; ++repeat) {
      std::vector<Job*> in_time;  // a slow row gets fewer rounds, and costs the others none
      for (Job& job : jobs_)
        if (repeat == 0 || job.spent_us < share_us) in_time.push_back(&job);
      for (const NamedGuess& guess : dataset_.guesses)
        for (Job* job : in_time) sample(*job, guess, repeat);
    }
  }

 private:
  Job prepare(const AlignerEntry& entry) {
    Job job;
    job.entry = &entry;
    job.row.run_id = plan_.run_id;
    job.row.implementation = entry.name;
    job.row.dataset = dataset_.name;
    job.row.threads = entry.one_thread ? 1 : options_.threads;
    job.row.resolution_m = options_.resolution_m;
    job.row.points = static_cast<std::int64_t>(dataset_.scan.size());
    job.row.truth = dataset_.truth;
    guarded(job, job.row, [&] {
      job.aligner = entry.make(options_);
      settle();
      const Stopwatch watch;
      job.row.voxels = job.aligner->set_map(dataset_.map).voxels;
      job.row.build_us = watch.elapsed_us();
      if (!dataset_.guesses.empty())  // warm-up: memory, threads, caches
        job.aligner->align(dataset_.scan, dataset_.guesses[0].map_from_scan, plan_.per_scan);
    });
    return job;
  }

  void sample(Job& job, const NamedGuess& guess, int repeat) {
    if (!job.aligner) return;
    RunRow row = job.row;
    row.frame = guess.name;
    row.repeat = repeat;
    row.guess = guess.map_from_scan;
    const Stopwatch watch;
    settle();
    const bool done = guarded(job, row, [&] {
      const AlignResult first = timed_align(job, guess, row.align_after_idle_us);
      const AlignResult result = timed_align(job, guess, row.align_us);
      if (!same_bits(first, result)) throw RegressionError("align: two calls with the same input gave different bits");
      fill(row, result);
    });
    job.spent_us += watch.elapsed_us();
    if (done) observer_.row(row);
  }

  AlignResult timed_align(Job& job, const NamedGuess& guess, double& time_us) {
    const Stopwatch watch;
    AlignResult result = job.aligner->align(dataset_.scan, guess.map_from_scan, plan_.per_scan);
    time_us = watch.elapsed_us();
    return result;
  }

  void fill(RunRow& row, const AlignResult& result) {
    row.pose = result.map_from_scan;
    row.stop = to_string(result.stop);
    row.iterations = result.iterations;
    row.evaluations = result.evaluations;
    row.correspondences = result.correspondences;
    row.score = result.score;
    row.transform_probability = result.transform_probability;
    row.nvtl = result.nvtl;
    if (dataset_.truth) row.to_truth = pose_difference(row.pose, *dataset_.truth);
    if (row.implementation == kReference)
      reference_poses_[row.frame] = row.pose;
    else if (const auto found = reference_poses_.find(row.frame); found != reference_poses_.end())
      row.to_reference = pose_difference(row.pose, found->second);
  }

  /// False if f threw: the job is over then, and its error is a row.
  template <class F>
  bool guarded(Job& job, const RunRow& row, F&& f) {
    RunRow failed;
    try {
      f();
      return true;
    } catch (const std::exception& error) {
      job.aligner.reset();
      failed = row;
      failed.error = *error.what() ? error.what() : "failed without a message";
    }
    observer_.row(failed);
    return false;
  }

  const RunPlan& plan_;
  const Dataset& dataset_;
  const RunObserver& observer_;
  AlignOptions options_;
  bool first_ = true;  ///< of the thread counts: rows with one thread are not measured again
  std::vector<Job> jobs_;
  std::map<std::string, Transform> reference_poses_;  ///< by guess
};

}  // namespace

void run(const RunPlan& plan, const RunObserver& observer) {
  const std::size_t groups = plan.datasets.size() * plan.threads.size();
  std::size_t group = 0;
  for (const std::string& name : plan.datasets) {
    const Dataset dataset = load_dataset(name);
    for (const int threads : plan.threads) {
      observer.progress(fmt::format("[{}/{}] {}, threads {}", ++group, groups, name, threads));
      Group(plan, dataset, threads, observer).measure();
    }
  }
}

}  // namespace ndt::harness
