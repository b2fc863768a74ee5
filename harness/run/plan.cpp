#include "run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <unordered_map>

#include "base/environment.hpp"
#include "base/standard_streams.hpp"
#include "data/density.hpp"
#include "data/load_dataset.hpp"
#include "ndt/core/error.hpp"
#include "peers/peer_file.hpp"
#include "peers/peers.hpp"
#include "registry/option_keys.hpp"
#include "run/guesses.hpp"
#include "run/job_measurements.hpp"
#include "run/plan_jobs.hpp"

namespace ndt::harness {
namespace {

bool contains(const auto& list, const auto& value) { return std::ranges::find(list, value) != list.end(); }

std::vector<int> unique_threads(const std::vector<int>& given) {
  std::vector<int> threads;
  for (const int count : given)
    if (const int resolved = count == 0 ? core_count() : count; !contains(threads, resolved))
      threads.push_back(resolved);
  return threads;
}

/// Fisher and Yates with numbers that the standard fixes, unlike std::shuffle's.
void shuffle(std::vector<Job>& jobs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = jobs.size(); left > 1; --left) std::swap(jobs[left - 1], jobs[random() % left]);
}

/// True if a measurement that both studies have comes out the same from either.
bool measured_alike(const Study& a, const Study& b) {
  return a.timed == b.timed && a.trace == b.trace && a.second_look == b.second_look && a.timing == b.timing;
}

class Planner {
 public:
  Planner(const Preset& preset, const Selection& selection, const std::string& run_id,
          const ReportProgress& report)
      : preset_(preset), selection_(selection), report_(report) {
    plan_.run_id = run_id;
    plan_.preset = preset.name;
    plan_.description = preset.description;
    plan_.seed = preset.seed;
    plan_.timing = chosen(preset.timing);
    plan_.limits = preset.limits;
  }

  Plan build() {
    choose_implementations();
    PlanBudget budget;
    for (const Study& study : preset_.studies)
      for (const std::string& name : datasets_of(study))
        if (const Dataset* dataset = load(name)) {
          budget.take(preset_.name, study, *dataset, taking_part_in(study), threads_of(study));
          add(study, name, *dataset);
        }
    if (plan_.jobs.empty()) throw InputError("run: nothing to do" + reasons());
    shuffle(plan_.jobs, plan_.seed);
    for (std::size_t k = 0; k < plan_.jobs.size(); ++k) plan_.jobs[k].index = static_cast<int>(k);
    return std::move(plan_);
  }

 private:
  /// The given ones, or all that are available, in the registry's order; then the peers from outside. One
  /// that is not for use is among all if a study names it.
  void choose_implementations() {
    std::vector<const Implementation*> asked;
    for (const std::string& name : selection_.implementations) asked.push_back(&choose_implementation(name));
    for (const Implementation& entry : implementations()) {
      const std::string reason = entry.unavailable_reason();
      if (asked.empty() && entry.not_for_use &&
          std::ranges::none_of(preset_.studies,
                               [&](const Study& study) { return contains(study.also, entry.name); }))
        continue;
      if (asked.empty() && !reason.empty()) leave_out(std::string(entry.name), reason);
      if (asked.empty() ? reason.empty() : contains(asked, &entry)) implementations_.push_back(&entry);
    }
    for (const Implementation* entry : asked)
      if (entry->own_process && !contains(implementations_, entry)) implementations_.push_back(entry);
    if (!asked.empty()) return;
    for (const Study& study : preset_.studies)
      for (const std::string& name : study.also)
        if (is_peer_name(name)) add_peer(name);
  }

  /// A peer of the preset may be missing; one that was asked for may not.
  void add_peer(const std::string& name) {
    try {
      const Implementation& entry = choose_implementation(name);
      if (!contains(implementations_, &entry)) implementations_.push_back(&entry);
    } catch (const std::exception& error) {
      leave_out(name, error.what());
    }
  }

  std::vector<const Implementation*> taking_part_in(const Study& study) const {
    std::vector<const Implementation*> out = implementations_;
    if (selection_.implementations.empty())
      std::erase_if(out, [&](const Implementation* entry) {
        if (entry->not_for_use || entry->own_process) return !contains(study.also, entry->name);
        return !study.only.empty() && !contains(study.only, entry->name);
      });
    return out;
  }

  /// The names of the study's datasets at each of its densities. A dataset keeps its plain name at the
  /// density that it has anyway, and a name that has a density keeps it.
  std::vector<std::string> datasets_of(const Study& study) {
    std::vector<std::string> names;
    for (const std::string& plain : selection_.datasets.empty() ? study.datasets : selection_.datasets) {
      const bool dense = study.densities.empty() || !name_and_density(plain).density.empty();
      for (const std::string& density : dense ? std::vector<std::string>{""} : study.densities) {
        const Dataset* dataset = load(plain);
        const bool own = density.empty() || (dataset && density_of(*dataset) == label_of(density));
        if (std::string name = own ? plain : plain + "@" + density; dataset && !contains(names, name))
          names.push_back(std::move(name));
      }
    }
    return names;
  }

  /// A dataset of the preset may be missing; one that was asked for may not.
  const Dataset* load(const std::string& name) {
    if (const auto found = datasets_.find(name); found != datasets_.end()) return &found->second;
    if (missing_.contains(name)) return nullptr;
    try {
      const Dataset& dataset = datasets_.emplace(name, load_dataset(name, report_)).first->second;
      plan_.datasets.push_back(name);
      for (const std::string& note : dataset.notes) notice("ndt-bench: dataset {}: {}\n", name, note);
      return &dataset;
    } catch (const InputError& error) {
      return leave_out_dataset(name, error.what());
    } catch (const UsageError& error) {  // no such name: right only for a recording that this machine lacks
      if (!is_recording(name)) throw;
      return leave_out_dataset(name, error.what());
    }
  }

  bool is_recording(const std::string& name) const {
    return std::ranges::any_of(preset_.studies, [&](const Study& s) { return contains(s.recordings, name); });
  }

  /// Called in the handler of an exception, which goes on if the dataset was asked for by its name.
  const Dataset* leave_out_dataset(const std::string& name, const std::string& why) {
    if (contains(selection_.datasets, name)) throw;
    missing_.emplace(name, why);
    leave_out("dataset " + name, why);
    return nullptr;
  }

  void add(const Study& study, const std::string& name, const Dataset& dataset) {
    if ((!study.grids.empty() || !study.scatters.empty()) && dataset.truth.quality.empty()) {
      leave_out(fmt::format("dataset {}", name), "guesses around the truth need the truth");
      return;
    }
    if (!study.searches.empty() && std::ranges::any_of(dataset.frames, [&](const Frame& f) {
          return search_middle(dataset, f) == nullptr;
        })) {
      leave_out(fmt::format("searches on dataset {}", name), "not every frame has a truth to search around");
      return;
    }
    for (const Variant& variant : study.variants)
      if (variant.regularised_at_truth && dataset.truth.quality.empty()) {
        leave_out(fmt::format("dataset {} with {}", name, variant.name),
                  "its regularisation needs the truth");
        return;
      }
    const std::vector<int> threads = threads_of(study);
    for (const Variant& given : study.variants)
      for (const Implementation* entry : taking_part_in(study))
        for (const int count : entry->one_thread ? std::vector<int>{1} : threads) {
          Job job;
          job.dataset = name;
          job.implementation = entry->name;
          job.variant = merged(given);
          job.threads = count;
          job.timed = study.timed;
          job.trace = study.trace;
          if (study.second_look) job.second_look = true;
          job.grids = study.grids;
          job.scatters = study.scatters;
          job.poses = study.poses;
          job.timing = study.timing;
          if (job.timing) job.timing = chosen(*job.timing);
          if (study.searches.empty()) {
            if (offered(*entry, job, dataset)) add_calls(job, study, dataset);
          } else {
            add_searches(*entry, job, study, dataset);
          }
        }
  }

  TimingRule chosen(TimingRule timing) const {
    timing.samples = selection_.samples.value_or(timing.samples);
    if (selection_.load_s) timing.load_s = selection_.load_s;
    return timing;
  }

  std::vector<int> threads_of(const Study& study) const {
    return unique_threads(selection_.threads.empty() ? study.threads : selection_.threads);
  }

  /// Each way to call is a process of its own.
  void add_calls(Job& job, const Study& study, const Dataset& dataset) {
    for (const CallSetting& call : study.calls) {
      static_cast<CallSetting&>(job) = call;
      job.timed = study.timed && !call.grid_shift;
      add_blocks(job, study, dataset);
    }
  }

  /// Adds the searches for this implementation. A peer searches in its own way, for which there is no profile
  /// of ours: a variant with a profile is not for a peer.
  void add_searches(const Implementation& entry, Job& job, const Study& study, const Dataset& dataset) {
    if (entry.own_process && job.variant.options[&ProfileChoice::profile]) job.variant = merged({});
    for (const SearchSpec& search : study.searches) {
      if (!search.is_for(entry)) continue;
      job.search = search;
      if (offered(entry, job, dataset)) add_blocks(job, study, dataset);
    }
  }

  /// The variant's options win over those of the command line.
  Variant merged(const Variant& given) const {
    Variant variant = given;
    variant.options.put_over(selection_.options);
    return variant;
  }

  /// Why the implementation cannot do such a job; empty if it can.
  static std::string why_not(const Implementation& entry, const Job& job) {
    if (!job.search) {
      if (aligns(entry)) return "";
      return follows(entry) ? "it only follows recordings" : "it only searches for the initial pose";
    }
    if (can_run(resolve(job.search->arguments).strategy, entry))
      return why_not_from(job.search->prior, entry);
    return entry.own_process ? "it gives no score, and has no search of its own"
                             : "it takes one pose at a time";
  }

  /// An implementation may refuse options that others have; everyone refuses what is out of range. Of one
  /// that takes no batches, single alignments stay.
  bool offered(const Implementation& entry, Job& job, const Dataset& dataset) {
    const AlignOptions options = job_options(job, dataset);
    per_scan(job.variant.options);  // refuses what would fail in every measurement
    try {
      entry.make(options);
      if (const std::string why = why_not(entry, job); !why.empty()) {
        leave_out(
            fmt::format("{} in {}", entry.name, job.search ? "search " + job.search->name : "alignments"),
            why);
        return false;
      }
      if (!entry.batches && std::erase_if(job.poses, [](int poses) { return poses > 1; }) > 0)
        leave_out(fmt::format("{} in batches", entry.name), "it takes one pose at a time");
      return !job.poses.empty();
    } catch (const std::invalid_argument& error) {
      const bool of_preset = entry.own_process && selection_.implementations.empty();
      if (of_preset) return false;  // the variants of its studies are ours
      leave_out(fmt::format("{} with {}", entry.name, job.variant.name), error.what());
      return false;
    }
  }

  /// Tells for every measurement of the frame whether no study before has it.
  std::vector<bool> news_of(const Study& study, const Job& job, const JobMeasurements& measurements,
                            std::size_t frame) {
    std::vector<bool> news;
    for (std::size_t k = 0; k < measurements.of_frame(frame); ++k) {
      const Measurement measurement = measurements.at(frame, k);
      const auto [planned, is_new] = planned_.emplace(measurement_key(measurement), &study);
      news.push_back(is_new);
      if (is_new)
        plan_.cost.add(job, measurement, plan_.timing);
      else if (!measured_alike(*planned->second, study))
        leave_out(fmt::format("{} on {} in a second study", job.variant.name, job.dataset),
                  "another study of the preset already measures it, with other timing, tracing or judging");
    }
    return news;
  }

  void add_blocks(const Job& job, const Study& study, const Dataset& dataset) {
    const JobMeasurements measurements(plan_.run_id, job, dataset);
    const std::vector<std::size_t> taken = spread_frames(dataset.frames.size(), study.frames);
    std::vector<PlannedFrame> frames;
    std::size_t all = 0;
    for (const std::size_t frame : taken) {
      PlannedFrame planned{frame, news_of(study, job, measurements, frame)};
      all += planned.is_new.size();
      if (std::ranges::count(planned.is_new, true) > 0) frames.push_back(std::move(planned));
    }
    auto block = static_cast<std::size_t>(study.measurements_per_job);
    if (study.timed && is_dataset_path(job.dataset)) {
      block = block_for_intervals(frames, block);
      if (const std::size_t missing = missing_frames(taken.size(), all); missing > 0)
        leave_out(fmt::format("{} processes an implementation on dataset {}", kLeastProcesses, job.dataset),
                  fmt::format("{} frame{} missing, a process has one at least; times of fewer are not sure",
                              missing, missing == 1 ? " is" : "s are"));
    }
    std::ranges::move(jobs_of(job, frames, block), std::back_inserter(plan_.jobs));
  }

  void leave_out(std::string what, std::string why) {
    if (std::ranges::none_of(plan_.left_out,
                             [&](const LeftOut& l) { return l.what == what && l.why == why; }))
      plan_.left_out.push_back({std::move(what), std::move(why)});
  }

  std::string reasons() const {
    std::string text;
    for (const LeftOut& left : plan_.left_out) text += fmt::format("; {}: {}", left.what, left.why);
    return text;
  }

  const Preset& preset_;
  const Selection& selection_;
  const ReportProgress& report_;
  Plan plan_;
  std::vector<const Implementation*> implementations_;
  std::map<std::string, Dataset> datasets_;
  std::map<std::string, std::string> missing_;
  std::unordered_map<std::string, const Study*> planned_;  ///< keys of measurements, and who was first
};

}  // namespace

std::vector<std::size_t> spread_frames(std::size_t n, std::optional<int> most) {
  const std::size_t count = most ? std::min(n, static_cast<std::size_t>(*most)) : n;
  std::vector<std::size_t> frames;
  for (std::size_t k = 0; k < count; ++k) frames.push_back(k * n / count);
  return frames;
}

void PlanCost::add(const Job& job, const Measurement& measurement, const TimingRule& timing_of_plan) {
  constexpr double kIdleShare = 1.0 / 3;  // of the cap, at most
  constexpr int kFewest = 3;              // samples, whatever the cap
  ++measurements;
  alignments += static_cast<std::size_t>(measurement.search ? std::max(1, measurement.search->particles)
                                                            : measurement.poses);
  if (!job.timed) return;
  const TimingRule timing = job.timing.value_or(timing_of_plan);
  if (!job.rate_hz) {
    sampling_s += (1 + kIdleShare) * timing.cap_s + timing.load_s.value_or(0);
    return;
  }
  const double tick_s = 1 / *job.rate_hz;  // the last sample may begin just before the cap
  sampling_s += std::max(timing.cap_s, std::min(kFewest, timing.samples) * tick_s) + tick_s;
}

Plan make_plan(const Preset& preset, const Selection& selection, const std::string& run_id,
               const ReportProgress& report) {
  return Planner(preset, selection, run_id, report).build();
}

}  // namespace ndt::harness
