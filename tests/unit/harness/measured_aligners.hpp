// Aligners whose answers are written down, and the measurements of them.
#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include "data/load_dataset.hpp"
#include "run/measure.hpp"
#include "scripted_aligner.hpp"

namespace ndt::harness {

/// Answers with the guess, or refuses what a test wants refused.
class Echo : public ScriptedAligner {
 public:
  MapInfo set_map(const Scan& map) override {
    MapInfo info;
    info.points = static_cast<std::int64_t>(host_cloud(map, "set_map").size());
    info.voxels = 7;
    return info;
  }
  AlignResult align(const Scan&, const Transform& guess, const PerScan& per_scan) override {
    AlignResult result;
    result.map_from_scan = guess;
    result.stop = Stop::converged;
    result.iterations = 2;
    result.evaluations = 3;
    ++calls_;
    change(result, per_scan);
    return result;
  }

 protected:
  int calls_ = 0;  ///< alignments that began

 private:
  /// Makes another answer of it.
  virtual void change(AlignResult&, const PerScan&) {}
};

/// Finishes with a step of 3 mm.
class Finishes final : public Echo {
  void change(AlignResult& result, const PerScan&) override { result.finish = FinishStep{0.003, 2500}; }
};

class FailsOnTheFourthAlignment final : public Echo {
  void change(AlignResult&, const PerScan&) override {
    if (calls_ == 4) throw std::runtime_error("fourth alignment");
  }
};

/// Never the same score twice.
class Drifts final : public Echo {
  void change(AlignResult& result, const PerScan&) override { result.score = calls_; }
};

class Slow final : public Echo {
  void change(AlignResult&, const PerScan&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  }
};

/// Copies, launches and waits as an implementation on a device does: scan up, result down, and a flag every
/// iteration; a trace is more.
class OnADevice : public Echo {
 public:
  MapInfo set_map(const Scan& map) override {
    add({.upload_bytes = 1000000, .uploads = 3, .launches = 40, .synchronisations = 2, .allocations = 9});
    return Echo::set_map(map);
  }
  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override {
    const AlignResult result = Echo::align(scan, guess, per_scan);
    add({.upload_bytes = static_cast<std::int64_t>(12 * host_cloud(scan, "align").size()) + 128,
         .uploads = 2,
         .download_bytes = 344 + 4 * result.iterations + (per_scan.trace ? 96 : 0),
         .downloads = 1 + result.iterations,
         .launches = 14 * result.iterations,
         .synchronisations = 1 + result.iterations,
         .allocations = calls_ == 1 ? 5 : 0,
         .meetings = Meetings{.exchanges = 1 + result.iterations, .barriers = 1}});
    return result;
  }
  Counters counters() const override {
    Traffic now = total_;
    now.device_bytes = 7 << 20;
    now.peak_device_bytes = 9 << 20;
    return {now, std::nullopt};
  }

 protected:
  void add(const Traffic& more) {
    total_.upload_bytes += more.upload_bytes;
    total_.uploads += more.uploads;
    total_.download_bytes += more.download_bytes;
    total_.downloads += more.downloads;
    total_.launches += more.launches;
    total_.synchronisations += more.synchronisations;
    total_.allocations += more.allocations;
    ndt::add(more.meetings, total_.meetings);
  }

 private:
  Traffic total_;
};

/// Runs out of time, each time elsewhere.
class RunsOutOfTime final : public Echo {
  void change(AlignResult& result, const PerScan& per_scan) override {
    if (per_scan.deadline) result.stop = Stop::timeout, left_.push_back(*per_scan.deadline);
    result.score = calls_;
    if (calls_ > 1 && per_scan.deadline && !(left_.back() > left_.front()))
      throw std::runtime_error("a call did not have the whole time");
  }
  std::vector<std::chrono::steady_clock::time_point> left_;
};

/// Waits once more in its third alignment.
class WaitsOnceMore final : public OnADevice {
 public:
  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override {
    if (calls_ == 2) add({.synchronisations = 1});
    return OnADevice::align(scan, guess, per_scan);
  }
};

/// Allocates again in its third alignment.
class AllocatesAgain final : public OnADevice {
 public:
  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override {
    if (calls_ == 2) add({.allocations = 2});
    return OnADevice::align(scan, guess, per_scan);
  }
};

/// Answers a batch with its guesses, pose k after k + 1 iterations.
class Batches final : public ScriptedAligner {
 public:
  MapInfo set_map(const Scan& map) override { return echo_.set_map(map); }
  AlignResult align(const Scan& scan, const Transform& guess, const PerScan& per_scan) override {
    if (per_scan.regularisation) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    AlignResult result = echo_.align(scan, guess, per_scan);
    if (per_scan.regularisation) result.score = 100 * per_scan.regularisation->x + per_scan.regularisation->y;
    return result;
  }
  void submit(const Scan& scan, std::span<const Transform> guesses, const PerScan& per_scan) override {
    echo_.submit(host_cloud(scan, "submit", guesses.size()), guesses, per_scan);
    if (per_scan.regularisation) std::this_thread::sleep_for(std::chrono::milliseconds(3 * guesses.size()));
  }
  void collect(std::span<AlignResult> out) override {
    echo_.collect(out);
    for (std::size_t k = 0; k < out.size(); ++k) out[k].iterations = static_cast<int>(k) + 1;
  }

 private:
  Echo echo_;
};

/// Refuses its map.
class NoMap final : public Echo {
 public:
  MapInfo set_map(const Scan&) override { throw std::runtime_error("no map"); }
};

/// An implementation that makes an A and runs everywhere.
template <class A>
Implementation made_of(std::string_view name) {
  return {.name = name,
          .unavailable_reason = [] { return ""; },
          .make = [](const AlignOptions&) { return std::make_unique<A>(); }};
}

inline const Implementation kEcho = made_of<Echo>("echo");
inline const Implementation kFinishing = made_of<Finishes>("finishing");
inline const Implementation kSlow = made_of<Slow>("slow");
inline const Implementation kFailing = made_of<FailsOnTheFourthAlignment>("failing");
inline const Implementation kDrifting = made_of<Drifts>("drifting");
inline const Implementation kOutOfTime = made_of<RunsOutOfTime>("out_of_time");
inline const Implementation kWithoutMap = made_of<NoMap>("without_map");
inline const Implementation kOnADevice = made_of<OnADevice>("on_a_device");
inline const Implementation kWaiting = made_of<WaitsOnceMore>("waiting");
inline const Implementation kAllocating = made_of<AllocatesAgain>("allocating");
inline const Implementation kBatches = [] {
  Implementation batches = made_of<Batches>("batches");
  batches.batches = true;
  return batches;
}();
inline const Implementation kSolving = [] {
  Implementation solving = made_of<Echo>("solving");
  solving.solver = [] { return "own LDLT: why"; };
  return solving;
}();

struct Measured {
  std::vector<Measurement> measurements;
  int ready = 0;
};

/// The courtyard's measurements named by `wanted`.
inline Measured measured(const Implementation& entry, const Plan& plan,
                         const std::vector<std::size_t>& wanted, bool timed = true,
                         const AlignArguments& options = {}) {
  const Dataset dataset = load_dataset("courtyard");
  Job job;
  job.dataset = dataset.name;
  job.implementation = entry.name;
  job.frames = {0};
  job.measurement_count = 8;
  job.timed = timed;
  job.variant.options = options;
  Measured out;
  measure(plan, job, entry, dataset, wanted,
          {.ready = [&] { ++out.ready; },
           .measured = [&](const Measurement& measurement) { out.measurements.push_back(measurement); }});
  return out;
}

inline Plan plan_with(TimingRule timing) {
  Plan plan;
  plan.run_id = "id";
  plan.timing = timing;
  return plan;
}

/// The courtyard's first guess with batches of these sizes.
inline std::vector<Measurement> measured_batches(const Implementation& entry, const Plan& plan, Job job) {
  const Dataset dataset = load_dataset("courtyard");
  job.dataset = dataset.name;
  job.frames = {0};
  job.measurement_count = job.poses.size();
  std::vector<std::size_t> wanted;
  for (std::size_t k = 0; k < job.measurement_count; ++k) wanted.push_back(k);
  std::vector<Measurement> measurements;
  measure(plan, job, entry, dataset, wanted,
          {.ready = [] {},
           .measured = [&](const Measurement& measurement) { measurements.push_back(measurement); }});
  return measurements;
}

}  // namespace ndt::harness
