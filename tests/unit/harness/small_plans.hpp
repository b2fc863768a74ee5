// Presets of one small study, and what is planned of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/load_dataset.hpp"
#include "run/job_measurements.hpp"
#include "run/plan.hpp"

namespace ndt::harness {

inline Study study_of(std::vector<std::string> datasets, int measurements_per_job = 8) {
  Study study;
  study.datasets = std::move(datasets);
  study.measurements_per_job = measurements_per_job;
  return study;
}

inline Study searching_study() {
  Study study = study_of({"courtyard"}, 4);
  study.threads = {1};
  study.searches.resize(2);
  for (SearchSpec& search : study.searches) search.seeds = 6;
  study.searches[0].name = "one";
  study.searches[0].arguments[&StrategyChoice::strategy] = "sequential";
  study.searches[0].implementations = {"cpu_pclomp_ref", "persistent_cpu"};
  study.searches[1].name = "rounds";
  study.searches[1].implementations = {"persistent_cpu"};
  return study;
}

inline Preset preset_of(Study study) {
  Preset preset;
  preset.name = "test";
  if (study.variants.empty()) study.variants.emplace_back();
  if (study.threads.empty()) study.threads = {1, 2};
  preset.studies = {std::move(study)};
  return preset;
}

inline const Selection kOwnImplementations = {.datasets = {},
                                              .implementations = {"cpu_pclomp_ref", "persistent_cpu"},
                                              .threads = {},
                                              .samples = {},
                                              .options = {}};

inline std::vector<Measurement> all_measurements(const Plan& plan) {
  std::vector<Measurement> measurements;
  for (const Job& job : plan.jobs)
    for (Measurement& measurement : planned_measurements(plan.run_id, job, load_dataset(job.dataset)))
      measurements.push_back(std::move(measurement));
  return measurements;
}

}  // namespace ndt::harness
