// The text of a generated town's dataset.toml.
#pragma once

#include <string>

#include "town/town_plan.hpp"

namespace ndt::harness::town {

/// The dataset's name: town, or town_seed7 for another seed than 1.
std::string dataset_name(const TownPlan& plan, const TownOptions& options);

/// The text that makes a folder a dataset.
std::string dataset_toml(const TownPlan& plan, const TownOptions& options);

}  // namespace ndt::harness::town
