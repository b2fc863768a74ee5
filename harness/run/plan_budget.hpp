// How much a preset may plan, counted from the lengths of its lists before any of it is made.
#pragma once

#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "registry/registry.hpp"
#include "run/presets.hpp"

namespace ndt::harness {

class PlanBudget {
 public:
  /// Adds a study on a dataset with these thread counts. Throws InputError that says which lists are too long
  /// as soon as all studies so far are more than Limits::kMeasurements, or their plan.json may be longer than
  /// Limits::kPlanBytes.
  void take(const std::string& preset, const Study& study, const Dataset& dataset,
            const std::vector<const Implementation*>& implementations, const std::vector<int>& threads);

 private:
  double measurements_ = 0, bytes_ = 0;
};

}  // namespace ndt::harness
