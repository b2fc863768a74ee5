// The settings of a search by the names they have in presets and plans: those of the command line, with _ for -.
#pragma once

#include "registry/search_arguments.hpp"

namespace ndt::harness {

/// Calls f(key, member) for every one but the seed, which the study counts.
template <class Arguments, class F>
void for_each_search_option(Arguments& a, F&& f) {
  f("strategy", a.strategy);
  f("method", a.method);
  f("particles", a.particles);
  f("startup", a.startup);
  f("at_once", a.at_once);
  f("proposal_candidates", a.candidates);
  f("reliable_nvtl", a.reliable_nvtl);
}

}  // namespace ndt::harness
