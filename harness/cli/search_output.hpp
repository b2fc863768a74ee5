// What a search found, for programs and for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ndt/initial_pose/search.hpp"
#include "registry/search_arguments.hpp"

namespace ndt::harness {

/// A search with what it was asked and how long it took.
struct SearchAnswer {
  std::string_view implementation, runs_on;
  ResolvedSearch setting;
  initial_pose::PosePrior prior;
  double build_us = 0, search_us = 0;
  initial_pose::SearchResult result;
};

/// Every particle with it.
nlohmann::ordered_json to_json(const SearchAnswer& answer);
std::string to_text(const SearchAnswer& answer);

}  // namespace ndt::harness
