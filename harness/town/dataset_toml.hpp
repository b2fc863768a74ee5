// The description that makes a folder a dataset.
#pragma once

#include <string>

#include "town/town_plan.hpp"

namespace ndt::harness::town {

/// town, or town_seed7.
std::string dataset_name(const TownPlan& plan, std::uint64_t seed);

std::string dataset_toml(const TownPlan& plan, TownScale scale, std::uint64_t seed);

}  // namespace ndt::harness::town
