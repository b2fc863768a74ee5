// The part of a measurement about a search for the initial pose, beside that of the best particle's
// alignment. The meaning of a member is said once, in measurement_json.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ndt/core/pose.hpp"
#include "registry/search_prior.hpp"

namespace ndt::harness {

/// A particle that was better than all before it.
struct Improvement {
  std::size_t particle = 0;  ///< in the order they were proposed
  double us = 0;             ///< from the start of the search to the end of the call it came from
  double nvtl = 0;
  std::optional<double> translation_error_m, rotation_error_deg;
};

/// The coarse part of a search with method anywhere.
struct CoarseRecord {
  double place_cell_m = 0, pyramid_us = 0;
  std::int64_t pyramid_bytes = 0;
  double coarse_us = 0, coverage = 0;
  int places = 0;
};

struct SearchRecord {
  std::string name, strategy, method;
  PriorKind prior = PriorKind::pose;
  int particles = 0, startup = 0, at_once = 1, candidates = 0;
  std::optional<double> reliable_nvtl, reliable_matched;
  std::uint64_t seed = 0;
  double sigma[5] = {};

  // Void with an error.
  std::size_t best_particle = 0;
  std::optional<bool> reliable;
  bool ambiguous = false;
  std::string verdict, doubts;  ///< empty of a peer
  std::optional<double> overlap, matched, spread_m, spread_deg, seen_through, unmapped;
  std::optional<int> agreeing;
  std::string interrupted;             ///< empty if it was not
  std::optional<CoarseRecord> coarse;  ///< of method anywhere
  std::optional<double> runner_up_ratio;
  std::optional<Transform> runner_up_pose;
  std::vector<Improvement> improvements;
  std::vector<std::array<double, 7>> paths;
};

}  // namespace ndt::harness
