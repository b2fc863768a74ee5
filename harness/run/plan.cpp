#include "run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/environment.hpp"
#include "base/random.hpp"
#include "data/load_dataset.hpp"
#include "ndt/core/error.hpp"
#include "registry/option_keys.hpp"
#include "run/guesses.hpp"

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

/// At most `most` of n, evenly spread, the first among them.
std::vector<std::size_t> spread_frames(std::size_t n, std::optional<int> most) {
  const std::size_t count = most ? std::min(n, static_cast<std::size_t>(*most)) : n;
  std::vector<std::size_t> frames;
  for (std::size_t k = 0; k < count; ++k) frames.push_back(k * n / count);
  return frames;
}

/// Fisher and Yates with numbers that the standard fixes, unlike std::shuffle's.
void shuffle(std::vector<Job>& jobs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = jobs.size(); left > 1; --left) std::swap(jobs[left - 1], jobs[random() % left]);
}

std::vector<NamedGuess> grid_guesses(const Transform& truth, const std::vector<GuessGrid>& grids) {
  std::vector<NamedGuess> guesses;
  for (const GuessGrid& grid : grids)
    for (const double x : grid.x_m)
      for (const double y : grid.y_m)
        for (const double z : grid.z_m)
          for (const double yaw : grid.yaw_deg) {
            NamedGuess guess{fmt::format("x{:+g}_y{:+g}_z{:+g}_yaw{:+g}", x, y, z, yaw),
                             truth * to_transform(Pose{x, y, z, 0, 0, yaw * kPi / 180}),
                             GuessOffset{x, y, z, yaw}};
            if (std::ranges::none_of(guesses, [&](const NamedGuess& g) { return g.name == guess.name; }))
              guesses.push_back(std::move(guess));
          }
  return guesses;
}

void add_scatter(const Transform& truth, std::size_t frame_index, const GuessScatter& scatter,
                 std::vector<NamedGuess>& guesses) {
  const GuessNoise noise{scatter.xy_m, scatter.z_m, scatter.roll_pitch_deg * kPi / 180,
                         scatter.yaw_deg * kPi / 180};
  for (int k = 0; k < scatter.guesses; ++k)
    guesses.push_back({fmt::format("xy{:g}_z{:g}_tilt{:g}_yaw{:g}_{}", scatter.xy_m, scatter.z_m,
                                   scatter.roll_pitch_deg, scatter.yaw_deg, k),
                       noisy_guess(truth, noise, frame_index, static_cast<std::uint64_t>(k)), std::nullopt});
}

std::vector<NamedGuess> guesses_of(const Job& job, const Dataset& dataset, std::size_t frame_index) {
  const Frame& frame = dataset.frames.at(frame_index);
  if (job.search) return prior_guesses(frame, frame_index, *job.search);
  if (!frame.truth || (job.grids.empty() && job.scatters.empty())) return frame.guesses;
  std::vector<NamedGuess> guesses = grid_guesses(*frame.truth, job.grids);
  for (const GuessScatter& scatter : job.scatters) add_scatter(*frame.truth, frame_index, scatter, guesses);
  return guesses;
}

/// Returns the measurements of all the job's frames, of which the job measures a range.
std::vector<Measurement> all_measurements(const Plan& plan, const Job& job, const Dataset& dataset) {
  std::vector<Measurement> measurements;
  const AlignOptions options = job_options(job, dataset);
  for (const std::size_t index : job.frames) {
    const Frame& frame = dataset.frames.at(index);
    std::uint64_t number = 0;
    for (const NamedGuess& guess : guesses_of(job, dataset, index)) {
      for (const int poses : job.poses) {
        Measurement measurement;
        if (job.search) measurement.search = planned_search(*job.search, options, number);
        measurement.poses = poses;
        measurement.run_id = plan.run_id;
        measurement.job = job.index;
        measurement.implementation = job.implementation;
        measurement.dataset = dataset.name;
        measurement.frame = frame.name;
        measurement.guess_name = guess.name;
        measurement.variant = job.variant.name;
        measurement.threads = job.threads;
        measurement.resolution_m = options.resolution_m;
        measurement.guess = guess.map_from_scan;
        measurement.guess_offset = guess.offset;
        measurement.truth = frame.truth;
        measurements.push_back(std::move(measurement));
      }
      ++number;
    }
  }
  return measurements;
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
    plan_.timing = preset.timing;
    plan_.timing.samples = selection.samples.value_or(preset.timing.samples);
    plan_.limits = preset.limits;
  }

  Plan build() {
    choose_implementations();
    for (const Study& study : preset_.studies)
      for (const std::string& name : selection_.datasets.empty() ? study.datasets : selection_.datasets)
        if (const Dataset* dataset = load(name)) add(study, name, *dataset);
    if (plan_.jobs.empty()) throw InputError("run: nothing to do" + reasons());
    shuffle(plan_.jobs, plan_.seed);
    for (std::size_t k = 0; k < plan_.jobs.size(); ++k) plan_.jobs[k].index = static_cast<int>(k);
    return std::move(plan_);
  }

 private:
  /// The given ones, or all that are available, in the registry's order.
  void choose_implementations() {
    std::vector<const Implementation*> asked;
    for (const std::string& name : selection_.implementations) asked.push_back(&choose_implementation(name));
    for (const Implementation& entry : implementations()) {
      const std::string reason = entry.unavailable_reason();
      if (asked.empty() && !reason.empty()) leave_out(std::string(entry.name), reason);
      if (asked.empty() ? reason.empty() : contains(asked, &entry)) implementations_.push_back(&entry);
    }
  }

  /// A dataset of the preset may be missing; one that was asked for may not.
  const Dataset* load(const std::string& name) {
    if (const auto found = datasets_.find(name); found != datasets_.end()) return &found->second;
    if (missing_.contains(name)) return nullptr;
    try {
      const Dataset& dataset = datasets_.emplace(name, load_dataset(name, report_)).first->second;
      plan_.datasets.push_back(name);
      return &dataset;
    } catch (const InputError& error) {
      if (!selection_.datasets.empty()) throw;
      missing_.emplace(name, error.what());
      leave_out("dataset " + name, error.what());
      return nullptr;
    }
  }

  void add(const Study& study, const std::string& name, const Dataset& dataset) {
    if ((!study.grids.empty() || !study.scatters.empty() || !study.searches.empty()) &&
        dataset.truth.quality.empty()) {
      leave_out(fmt::format("dataset {}", name), "guesses around the truth need the truth");
      return;
    }
    if (!study.searches.empty() &&
        std::ranges::any_of(dataset.frames, [](const Frame& f) { return !f.truth; })) {
      leave_out(fmt::format("searches on dataset {}", name), "not every frame has a truth to search around");
      return;
    }
    for (const Variant& variant : study.variants)
      if (variant.regularised_at_truth && dataset.truth.quality.empty()) {
        leave_out(fmt::format("dataset {} with {}", name, variant.name),
                  "its regularisation needs the truth");
        return;
      }
    const std::vector<int> threads =
        unique_threads(selection_.threads.empty() ? study.threads : selection_.threads);
    for (const Variant& given : study.variants)
      for (const Implementation* entry : implementations_)
        for (const int count : entry->one_thread ? std::vector<int>{1} : threads) {
          Job job;
          job.dataset = name;
          job.implementation = entry->name;
          job.variant = merged(given);
          job.threads = count;
          job.timed = study.timed;
          job.trace = study.trace;
          job.grids = study.grids;
          job.scatters = study.scatters;
          job.poses = study.poses;
          job.timing = study.timing;
          if (job.timing) job.timing->samples = selection_.samples.value_or(job.timing->samples);
          if (study.searches.empty()) {
            if (offered(*entry, job, dataset)) add_blocks(job, study, dataset);
          } else {
            add_searches(*entry, job, study, dataset);
          }
        }
  }

  /// Those that are for this implementation.
  void add_searches(const Implementation& entry, Job& job, const Study& study, const Dataset& dataset) {
    for (const SearchSpec& search : study.searches) {
      if (!contains(search.implementations, entry.name)) continue;
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

  /// An implementation may refuse options that others have; everyone refuses what is out of range. Of one
  /// that takes no batches, single alignments stay.
  bool offered(const Implementation& entry, Job& job, const Dataset& dataset) {
    const AlignOptions options = job_options(job, dataset);
    per_scan(job.variant.options);  // refuses what would fail in every measurement
    try {
      entry.make(options);
      if (job.search && !can_run(resolve(job.search->arguments).strategy, entry)) {
        leave_out(fmt::format("{} in search {}", entry.name, job.search->name),
                  "it takes one pose at a time");
        return false;
      }
      if (!entry.batches && std::erase_if(job.poses, [](int poses) { return poses > 1; }) > 0)
        leave_out(fmt::format("{} in batches", entry.name), "it takes one pose at a time");
      return !job.poses.empty();
    } catch (const std::invalid_argument& error) {
      leave_out(fmt::format("{} with {}", entry.name, job.variant.name), error.what());
      return false;
    }
  }

  /// True unless another study has every measurement of the job already.
  bool has_news(const Job& job, const Dataset& dataset) {
    bool news = false;
    for (const Measurement& measurement : all_measurements(plan_, job, dataset))
      news |= planned_.insert(measurement_key(measurement)).second;
    return news;
  }

  void add_blocks(Job& job, const Study& study, const Dataset& dataset) {
    std::vector<std::size_t> frames;
    for (const std::size_t frame : spread_frames(dataset.frames.size(), study.frames)) {
      job.frames = {frame};
      if (has_news(job, dataset)) frames.push_back(frame);
    }
    if (frames.empty()) return;
    job.frames = frames;
    const std::size_t measurements = all_measurements(plan_, job, dataset).size();
    const auto block = static_cast<std::size_t>(study.measurements_per_job);
    const std::size_t guesses = measurements / frames.size();  // the same for every frame
    for (std::size_t first = 0; first < measurements; first += block) {
      const std::size_t last = std::min(measurements, first + block);
      const std::size_t first_frame = first / guesses, last_frame = (last - 1) / guesses;
      job.frames.assign(frames.begin() + static_cast<std::ptrdiff_t>(first_frame),
                        frames.begin() + static_cast<std::ptrdiff_t>(last_frame + 1));
      job.first_measurement = first - first_frame * guesses;
      job.measurement_count = last - first;
      plan_.jobs.push_back(job);
    }
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
  std::set<std::string> planned_;  ///< keys of measurements
};

}  // namespace

Plan make_plan(const Preset& preset, const Selection& selection, const std::string& run_id,
               const ReportProgress& report) {
  return Planner(preset, selection, run_id, report).build();
}

AlignOptions job_options(const Job& job, const Dataset& dataset) {
  AlignArguments arguments = job.variant.options;
  arguments[&AlignOptions::threads] = job.threads;
  auto& resolution_m = arguments[&AlignOptions::resolution_m];
  if (!resolution_m) resolution_m = dataset.resolution_m;
  return resolve(arguments, job.search ? Guesses::of_a_search : Guesses::given);
}

std::vector<Measurement> planned_measurements(const Plan& plan, const Job& job, const Dataset& dataset) {
  std::vector<Measurement> measurements = all_measurements(plan, job, dataset);
  if (job.first_measurement > measurements.size() ||
      job.measurement_count > measurements.size() - job.first_measurement)
    throw InputError(
        fmt::format("plan.json: job {} is of measurements that {} does not have; the dataset has changed, "
                    "begin a new run",
                    job.index, dataset.name));
  measurements.erase(measurements.begin(),
                     measurements.begin() + static_cast<std::ptrdiff_t>(job.first_measurement));
  measurements.resize(job.measurement_count);
  return measurements;
}

}  // namespace ndt::harness
