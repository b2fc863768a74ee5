#include "run/job.hpp"

#include "registry/align_arguments.hpp"

namespace ndt::harness {

AlignOptions job_options(const Job& job, const Dataset& dataset) {
  AlignArguments arguments = job.variant.options;
  arguments[&AlignOptions::threads] = job.threads;
  auto& resolution_m = arguments[&AlignOptions::resolution_m];
  if (!resolution_m) resolution_m = dataset.resolution_m;
  return resolve(arguments, job.search ? Guesses::of_a_search : Guesses::given);
}

}  // namespace ndt::harness
